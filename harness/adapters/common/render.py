"""Gangs as YAML: the templates in manifests/<integration>/ filled in.

Templates hold what a person would write by hand, values and loops and nothing cleverer; an unknown value is an error,
never an empty string. `manifests/common/` has the member and the single pod that all integrations share.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jinja2
import yaml

from harness.adapters.common.base import Adapter, Object
from harness.box.data import data_root
from harness.core.errors import HarnessError, UsageError
from harness.core.gang import GPU, Gang
from harness.core.quantity import milli, plain
from harness.core.text import nearest


def gang_yaml(adapter: Adapter, gang: Gang, namespace: str, kubernetes: str) -> str:
    """The gang as the YAML a user would apply; UsageError for what this integration cannot express."""
    check_gang(adapter, gang)
    return render(
        f"{adapter.folder}/gang.yaml.j2",
        gang=gang,
        namespace=namespace,
        scheduler=adapter.scheduler,
        members=gang.members(),
        kubernetes=kubernetes,
        **adapter.values(gang, kubernetes),
    )


def gang_objects(adapter: Adapter, gang: Gang, namespace: str, kubernetes: str) -> list[Object]:
    """The gang as objects, group objects first."""
    return parse(gang_yaml(adapter, gang, namespace, kubernetes))


def check_gang(adapter: Adapter, gang: Gang) -> None:
    """UsageError for a field or a style of a gang that this integration has no way to express."""
    default = Gang()
    for name in Gang.__dataclass_fields__ if adapter.gang_fields else ():
        if name not in adapter.gang_fields and getattr(gang, name) != getattr(default, name):
            raise UsageError(
                f"gang {gang.name}: {adapter.title} has no way to say {name}",
                hint=f"Allowed: {', '.join(adapter.gang_fields)}.",
            )
    if unknown := sorted(gang.styles - set(adapter.styles)):
        raise UsageError(
            f"gang {gang.name}: unknown style {unknown[0]!r}",
            hint=f"{nearest(unknown[0], adapter.styles)}Styles here: {', '.join(adapter.styles) or 'none'}.",
        )


def single_pod(
    adapter: Adapter, namespace: str, name: str, *, part: str, request: Mapping[str, str], priority: str = ""
) -> Object:
    """A pod of no gang; from manifests/NAME/pod.yaml.j2 where a scheduler needs another pod than all others."""
    template = f"{adapter.folder}/pod.yaml.j2"
    text = render(
        template if (data_root() / "manifests" / template).is_file() else "common/single_pod.yaml.j2",
        name=name,
        namespace=namespace,
        part=part,
        request=dict(request),
        priority=priority,
        scheduler=adapter.scheduler,
        labels={key: text.format(namespace=namespace, name=name) for key, text in adapter.pod_labels.items()},
    )
    return parse(text)[0]


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
    environment.filters["block"] = _block
    return environment


def _block(value: object) -> str:
    """A mapping as lines of YAML."""
    return yaml.safe_dump(value, sort_keys=False, default_flow_style=False, width=10**6).rstrip()


def _quoted(value: object) -> str:
    """A YAML string that stays a string, whatever it looks like; in the quotes that need no backslashes."""
    style = "'" if '"' in str(value) else '"'
    return yaml.safe_dump(str(value), default_style=style, width=10**6).strip()
