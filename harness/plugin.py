"""The pytest plugin: boxes as fixtures, and conformance cases as tests.

For tests of your own: `box`, `nodes`, `namespace`. For cases of the suite: `world`. A case is judged after its function
has ended, from its history; a violation fails the test with the whole story, whatever the function itself asserted.
With pytest-xdist every worker has a box of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from harness import events, options, trial
from harness.adapters import adapter
from harness.adapters.base import Settings
from harness.box.api import NAMESPACE
from harness.box.embedded import EmbeddedBox
from harness.box.nodes import Pool
from harness.box.parent import die_with_parent
from harness.box.phases import Quiet
from harness.case import MARK, declared
from harness.core.errors import MusterError
from harness.core.results import CaseResult
from harness.core.verdict import Outcome, Verdict
from harness.lab import Lab, open_lab
from harness.options import Options
from harness.world import World

OPTIONS = pytest.StashKey[Options]()
FOLDER = pytest.StashKey[Path]()
TRIAL = pytest.StashKey[trial.Trial]()


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        die_with_parent()  # xdist gives a worker whose controller is gone ten seconds and more to finish its case
    config.addinivalue_line("markers", f"{MARK}(case): a case of the gang scheduling conformance suite")
    config.stash[OPTIONS] = options.read(config)
    default = Path("muster-runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-pytest"
    config.stash[FOLDER] = config.stash[OPTIONS].output or default.absolute()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    repeat = metafunc.config.stash[OPTIONS].repeat
    if repeat > 1 and "world" in metafunc.fixturenames:
        metafunc.fixturenames.append("_repetition")
        metafunc.parametrize("_repetition", range(1, repeat + 1), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = config.stash[OPTIONS]
    dropped = [item for item in items if (case := declared(item)) is not None and not options.selects(chosen, case)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]


def pytest_collection_finish(session: pytest.Session) -> None:
    planned = sum(1 for item in session.items if declared(item) is not None)
    if planned and session.config.stash[OPTIONS].output is not None:
        _log(session.config).tell("planned", count=planned)


# -- fixtures ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def box(pytestconfig: pytest.Config) -> Iterator[EmbeddedBox]:
    """A running Kubernetes control plane with the nodes of --muster-nodes; one per worker."""
    chosen = pytestconfig.stash[OPTIONS]
    made = chosen.box.make(nodes=chosen.nodes, binaries=chosen.binaries, gates=chosen.gates, listener=Quiet())
    with made as running:
        yield running


@pytest.fixture
def namespace(box: EmbeddedBox) -> Iterator[str]:
    """A fresh namespace of the box, deleted afterwards; its name is never used again."""
    name = f"test-{secrets.token_hex(4)}"
    box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    box.api.delete(NAMESPACE, "", name)


@pytest.fixture
def nodes(box: EmbeddedBox) -> Iterator[Callable[..., list[str]]]:
    """A factory of further nodes: `nodes(2, gpus=4)` gives their names. They go with the test."""
    made: list[str] = []

    def add(count: int, gpus: int = 8, **kind: object) -> list[str]:
        names = box.nodes.add(Pool(count, gpus=gpus, **kind))  # type: ignore[arg-type]
        made.extend(names)
        return names

    yield add
    for name in made:
        if name in box.nodes.names:
            box.nodes.remove(name)


@pytest.fixture(scope="session")
def lab(pytestconfig: pytest.Config) -> Iterator[Lab]:
    """The integration under test, installed in a box of this worker's own."""
    chosen = pytestconfig.stash[OPTIONS]
    log = _log(pytestconfig)
    listener = events.LogListener(log) if chosen.output else Quiet()

    def make_box(**more: object) -> EmbeddedBox:
        kept_free = {"reserved": True} if chosen.box.kind == "kind" else {}
        return chosen.box.make(binaries=chosen.binaries, gates=chosen.gates, listener=listener, **kept_free, **more)

    try:
        chosen_adapter = adapter(chosen.integration)
        settings = Settings(chosen.version, chosen.binaries, chosen.settings, listener.build)
        opened = open_lab(chosen_adapter, make_box, settings, timeout_factor=chosen.timeout_factor)
    except MusterError as error:
        log.tell("fault", message=error.message, hint=error.hint, code=int(error.exit_code))
        pytest.exit(str(error), returncode=int(error.exit_code))
    named = f"{chosen.integration}@{chosen.version}" if chosen.version else chosen.integration
    opened.rerun = options.rerun(chosen, named, opened.box.kubernetes)
    log.tell("lab", implementation=trial.as_event(trial.implementation(opened)), timings=opened.box.timings)
    yield opened
    opened.close()


@pytest.fixture
def _repetition(request: pytest.FixtureRequest) -> int:
    """Which repeat this is, when cases run several times."""
    return int(request.param)


@pytest.fixture
def world(request: pytest.FixtureRequest, lab: Lab, pytestconfig: pytest.Config) -> Iterator[World]:
    """An empty world for one case; see `harness.world`."""
    case = declared(request.node)
    if case is None:
        raise pytest.UsageError(f"{request.node.nodeid} uses `world` without the @case decorator")
    log = _log(pytestconfig)
    unmet = case.unmet(lab.adapter.title, lab.features, lab.box.kubernetes)
    if unmet and not pytestconfig.stash[OPTIONS].probe:
        log.tell("case", result=trial.as_event(trial.not_supported(case, lab, unmet)))
        pytest.skip(f"not supported: {unmet}")
    log.tell("begin", case=case.id, integration=lab.integration)
    running = trial.Trial(lab, case, pytestconfig.stash[FOLDER], repetition=_repetition_of(request.node))
    request.node.stash[TRIAL] = running
    yield running.world
    lab.reset()


def _repetition_of(item: pytest.Item) -> int:
    """Which repeat this is; 1 when cases run once."""
    return int(item.callspec.params.get("_repetition", 1)) if hasattr(item, "callspec") else 1


# -- judging ----------------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Let a case run, then judge its history: that, not the function, decides."""
    running = pyfuncitem.stash.get(TRIAL, None)
    if running is None:
        return (yield)
    error: BaseException | None = None
    try:
        yield
    except (AssertionError, Exception) as raised:
        error = raised
    found = running.finish(error)
    _log(pyfuncitem.config).tell("case", result=trial.as_event(found))
    if found.outcome in (Outcome.VIOLATED, Outcome.UNKNOWN):
        pytest.fail(_story(found, pyfuncitem.config.stash[FOLDER]), pytrace=False)
    return True


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    for side in (left, right):
        if isinstance(side, Verdict):
            return side.story().splitlines()
    return None


def _story(found: CaseResult, folder: Path) -> str:
    bad = [verdict for verdict in found.verdicts if verdict.outcome is found.outcome]
    lines = [f"{found.case} on {found.integration}: {found.outcome}", f"  the case  {found.sentence}"]
    lines += [f"  clauses   {', '.join(found.clauses)}"] if found.clauses else []
    lines += [verdict.story() for verdict in bad]
    lines += [f"  harness   {found.error}"] if found.error else []
    lines += [f"  evidence  {folder / found.history}"] if found.history else []
    lines += [f"  again     {found.rerun}"]
    return "\n".join(lines)


def _log(config: pytest.Config) -> events.Log:
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    return events.Log(config.stash[FOLDER], worker)
