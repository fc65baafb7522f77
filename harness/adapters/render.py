"""Gangs as YAML: the templates in manifests/<integration>/ filled in.

Templates hold what a person would write by hand, values and loops and nothing cleverer; an unknown value is an error,
never an empty string. `manifests/common/` has the one pod that all integrations share.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jinja2
import yaml

from harness.adapters.base import Adapter, Object
from harness.box.data import data_root
from harness.core.errors import HarnessError
from harness.core.gang import GPU, Gang
from harness.core.quantity import milli, plain


def gang_yaml(adapter: Adapter, gang: Gang, namespace: str, kubernetes: str) -> str:
    """The gang as the YAML a user would apply."""
    return render(
        f"{adapter.name}/gang.yaml.j2", gang=gang, namespace=namespace, scheduler=adapter.scheduler,
        members=gang.members(), kubernetes=kubernetes, **adapter.values(gang, kubernetes),
    )  # fmt: skip


def gang_objects(adapter: Adapter, gang: Gang, namespace: str, kubernetes: str) -> list[Object]:
    """The gang as objects, group objects first."""
    return parse(gang_yaml(adapter, gang, namespace, kubernetes))


def render(template: str, **values: Any) -> str:
    """A template under manifests/, filled in."""
    try:
        return _environment().get_template(template).render(**values)
    except jinja2.TemplateError as error:
        raise HarnessError(f"manifests/{template} cannot be filled in: {error}") from error


def parse(text: str) -> list[Object]:
    """The objects of a YAML stream."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [document for document in yaml.load_all(text, Loader=loader) if document]


def total_request(gang: Gang) -> dict[str, str]:
    """What the gang needs in total, as quantities: what it declares, or what the members that must start ask for."""
    sums: dict[str, int] = {}
    for role in gang.parts:
        for resource, amount in role.request.items():
            sums[resource] = sums.get(resource, 0) + milli(amount) * role.minimum
    if gang.total_gpus is not None:
        sums[GPU] = gang.total_gpus * 1000
    return {resource: _written(amount) for resource, amount in sums.items()}


def _written(amount: int) -> str:
    """An amount in thousandths as a person writes it, memory in mebibytes where it comes out even."""
    mebibytes, rest = divmod(amount, 1000 << 20)
    return f"{mebibytes}Mi" if mebibytes and not rest else plain(amount)


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_root() / "manifests"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["q"] = _quoted
    return environment


def _quoted(value: object) -> str:
    """A YAML string that stays a string, whatever it looks like; in the quotes that need no backslashes."""
    style = "'" if '"' in str(value) else '"'
    return yaml.safe_dump(str(value), default_style=style, width=10**6).strip()
