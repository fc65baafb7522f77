"""How a case is written: a declaration, then a test function that takes a `world`.

    @case("A gang that fits MUST be bound whole.", clauses=["WL-36"])
    def test_gang_that_fits_is_bound_whole(world):
        world.nodes(2, gpus=4)
        gang = world.submit(Gang(size=4, gpus=2))
        assert gang.is_bound_whole()

The id is the function's name; the folder is the file's. Profile and features come from `folder.yaml` beside the file,
and the strength from the sentence; a case states only what differs, and features that it needs besides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from harness.cases.declared_promises import promised
from harness.cases.declared_script import script
from harness.core.catalogue.cases import Case, strength_of
from harness.core.errors import HarnessError

Test = TypeVar("Test", bound=Callable[..., Any])
MARK = "muster_case"
FOLDER = "folder.yaml"


@dataclass(frozen=True, slots=True)
class Folder:
    """What all cases of a folder are declared with."""

    profile: str
    needs: tuple[str, ...]


def case(
    sentence: str,
    *,
    clauses: Sequence[str] = (),
    needs: Sequence[str] = (),
    either: Sequence[str] = (),
    profile: str = "",
    level: str = "core",
    strength: str = "",
    disturbs: str = "",
    slow: bool = False,
    fresh: bool = False,
    kubernetes: str = "",
) -> Callable[[Test], Test]:
    """Declare the test function below to be a case of the conformance suite; `needs` adds to those of its folder.

    Of the features in `either` the integration must claim one, and the case judges that one (`world.has_feature`).
    """

    def declare(test: Test) -> Test:
        file = Path(test.__code__.co_filename)
        path = file.parent
        folder = read_folder(path)
        declared = Case(
            id=test.__name__.removeprefix("test_").replace("_", "-"),
            sentence=sentence,
            folder=path.name,
            clauses=tuple(clauses),
            needs=(*folder.needs, *needs) or ("gang",),
            either=tuple(either),
            profile=profile or folder.profile,
            level=level,
            strength=strength or strength_of(sentence),
            disturbs=disturbs,
            slow=slow,
            fresh=fresh,
            kubernetes=kubernetes,
            promises=promised(file),
            script=script(file),
        )
        marked: Test = getattr(pytest.mark, MARK)(declared)(test)
        return marked

    return declare


@cache
def read_folder(path: Path) -> Folder:
    """The declaration of a folder of cases; one without a declaration asks for nothing."""
    if not (path / FOLDER).exists():
        return Folder("GANG-CORE", ())
    try:
        data = yaml.safe_load((path / FOLDER).read_text(encoding="utf-8"))
        return Folder(data["profile"], tuple(data["needs"]))
    except (OSError, KeyError, TypeError, yaml.YAMLError) as error:
        raise HarnessError(
            f"{path / FOLDER} cannot be read: {error!r}", hint="It has two keys: profile, and needs (a list)."
        ) from error


def declared(item: pytest.Item) -> Case | None:
    """The declaration of a collected test; None if it is not a case."""
    mark = item.get_closest_marker(MARK)
    return mark.args[0] if mark is not None else None
