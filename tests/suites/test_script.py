"""What is read from the code of a case is what stands there, and no more."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from harness.cases.cluster import Cluster
from harness.cases.declared_script import CLAIMS, GANG_CLAIMS, VERBS, script
from harness.cases.faults import Faults
from harness.cases.gang import SubmittedGang
from harness.cases.gangs import Gangs
from harness.cases.lws import SubmittedLWS
from harness.cases.objects import Objects
from harness.cases.owners import SubmittedOwner
from harness.cases.world import World
from harness.core.catalogue.script import Script, StatedClaim, StatedGang, StatedPromise, script_from_data
from harness.runner.collect import collect_cases

OWNERS = (World, Gangs, Cluster, Faults, SubmittedGang, SubmittedLWS, SubmittedOwner)


def read(tmp_path: Path, *lines: str) -> Script:
    file = tmp_path / "test_x.py"
    file.write_text("def test_x(world):\n" + "".join(f"    {line}\n" for line in lines))
    return script(file)


def test_every_method_exists() -> None:
    assert [name for name in VERBS if not any(hasattr(owner, name) for owner in OWNERS)] == []
    assert [name for name in CLAIMS if not hasattr(World, name) and not hasattr(Objects, name)] == []
    assert [name for name in GANG_CLAIMS if not hasattr(SubmittedGang, name)] == []


@pytest.mark.parametrize(
    ("call", "gangs"),
    [
        ('Gang("a", size=4, gpus=2)', (StatedGang("a", 4, 4, 2, ("gpus", "name", "size")),)),
        ('Gang("a", 4, 2)', (StatedGang("a", 4, 2, 1, ("name", "quorum", "size")),)),
        ('Gang(f"a-{n}", size=n)', (StatedGang("a\\-.+", None, None, 1, ("name", "size")),)),
        ('Gang("a", roles=roles)', (StatedGang("a"),)),
        ('Gang("a").but(size=3)', ()),
        ('LWS("a", size=3)', ()),
    ],
)
def test_gangs_are_read(call: str, gangs: tuple[StatedGang, ...], tmp_path: Path) -> None:
    assert read(tmp_path, f"world.submit({call})").gangs == gangs


def test_what_is_in_a_branch_need_not_be_made(tmp_path: Path) -> None:
    lines = (
        'gang = world.submit(Gang("a"))',
        "assert gang.is_refused() and gang.is_released()",
        "if world.has_feature('x'):",
        "    assert gang.is_bound_whole('drained')",
        "    return",
        'assert world.stand("two are left", gang, least=2)',
    )
    code = read(tmp_path, *lines)
    assert code.promises == (StatedPromise("refused", "a"),)
    assert StatedPromise("bound", deadline="drained") in code.longest
    assert code.claims == ()


def test_claims_are_read_with_their_evidence(tmp_path: Path) -> None:
    code = read(tmp_path, 'world.stand("two are left", pod, least=2)', "world.claim(text, True)", "gang.is_gone('a-0')")
    assert code.claims == (StatedClaim("two are left", "standing"), StatedClaim(), StatedClaim())


def test_actions_in_loops_are_not_counted(tmp_path: Path) -> None:
    code = read(tmp_path, "world.nodes(1)", "gang.edit_quorum(2)", "for n in range(3):", "    world.nodes(n)")
    assert code.verbs == ("edit", "node-add")
    assert code.most == {"edit": 1, "lift": 0, "delete": 0}


def test_the_catalogue_keeps_them() -> None:
    for case in collect_cases():
        assert case.script.verbs
        assert script_from_data(json.loads(json.dumps(asdict(case.script)))) == case.script
