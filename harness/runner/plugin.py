"""The pytest plugin: boxes as fixtures, and conformance cases as tests.

For tests of your own: `box`, `nodes`, `namespace`. For cases of the suite: `world`. A case is judged after its function
has ended, from its history; a violation fails the test with the whole story, whatever the function itself asserted.
With pytest-xdist every worker has a box of its own.
"""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.box.parent import die_with_parent
from harness.cases.declare import MARK, declared
from harness.core.catalogue.expected import BOX
from harness.core.errors import MusterError
from harness.core.kinds import NAMESPACE
from harness.core.verdict import Outcome, Verdict
from harness.runner import events, plugin_options

if TYPE_CHECKING:
    from harness.box.base import Box
    from harness.box.nodes import Pool
    from harness.cases.world import World
    from harness.core.results import CaseResult
    from harness.runner.case_run import CaseRun
    from harness.runner.config import RunConfig
    from harness.runner.opening import Opening
    from harness.testbed.testbed import Testbed

CONFIG: pytest.StashKey[RunConfig] = pytest.StashKey()
POOLS: pytest.StashKey[tuple[Pool, ...]] = pytest.StashKey()
SET_UP = pytest.StashKey[str]()  # when this session began
SEED = "muster_seed"  # what a controller of pytest-xdist hands to its workers: all must have one order
OPENING: pytest.StashKey[Opening] = pytest.StashKey()
CASE_RUN: pytest.StashKey[CaseRun] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    plugin_options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        die_with_parent()  # xdist gives a worker whose controller is gone ten seconds and more to finish its case
    config.addinivalue_line("markers", f"{MARK}(case): a case of the gang scheduling conformance suite")
    config.stash[SET_UP] = time.strftime("%Y%m%d-%H%M%S")
    if plugin_options.is_asked_for(config):  # a wrong option is reported before anything is collected
        asked(config)
        pools(config)
        if plugin_options.is_of_run(config) and not _leaves_it_to_workers(config):
            from harness.runner import opening

            config.stash[OPENING] = opening.take(asked(config), _log(config))


def pytest_unconfigure(config: pytest.Config) -> None:
    if (testbed_on_its_way := config.stash.get(OPENING, None)) is not None:
        testbed_on_its_way.discard()


def _leaves_it_to_workers(config: pytest.Config) -> bool:
    """Whether this is the controller of pytest-xdist, which runs no case itself."""
    return bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")


def asked(config: pytest.Config) -> RunConfig:
    """What this session is asked to do; read when it is needed, for most projects do not need it."""
    if CONFIG not in config.stash:
        seed = getattr(config, "workerinput", {}).get(SEED, {})
        config.stash[CONFIG] = replace(plugin_options.read(config), **seed).with_seed()
    return config.stash[CONFIG]


def pools(config: pytest.Config) -> tuple[Pool, ...]:
    """The nodes of the `box` fixture."""
    if POOLS not in config.stash:
        config.stash[POOLS] = plugin_options.read_pools(config)
    return config.stash[POOLS]


def folder(config: pytest.Config) -> Path:
    """Where histories, logs and events of this session go."""
    return asked(config).folder or Path("muster-runs").absolute() / f"{config.stash[SET_UP]}-pytest"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "world" in metafunc.fixturenames and (repeat := asked(metafunc.config).repeat) > 1:
        metafunc.fixturenames.append("_repetition")
        metafunc.parametrize("_repetition", range(1, repeat + 1), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any(declared(item) for item in items):
        return
    plan = asked(config)
    dropped = [item for item in items if (case := declared(item)) is not None and not plan.selects(case)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]
    if plan.order == "random":
        places = [place for place, item in enumerate(items) if declared(item) is not None]
        cases = [items[place] for place in places]
        random.Random(plan.seed).shuffle(cases)
        for place, item in zip(places, cases, strict=True):
            items[place] = item


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give the seed of a random order to a worker of pytest-xdist."""
    if CONFIG in node.config.stash and asked(node.config).order == "random":
        node.workerinput[SEED] = {"seed": asked(node.config).seed}


def pytest_report_header(config: pytest.Config) -> list[str]:
    if CONFIG not in config.stash or asked(config).order != "random":
        return []
    return [f"muster: cases in random order, --muster-seed {asked(config).seed}"]


def pytest_collection_finish(session: pytest.Session) -> None:
    planned = sum(1 for item in session.items if declared(item) is not None)
    if planned and asked(session.config).folder is not None:
        _log(session.config).tell("planned", count=planned)


# -- fixtures ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def box(pytestconfig: pytest.Config) -> Iterator[Box]:
    """A running Kubernetes control plane with the nodes of --muster-nodes; one per worker."""
    from harness.box.options import BoxOptions

    config = asked(pytestconfig)
    options = BoxOptions(nodes=pools(pytestconfig), binaries=config.binaries, gates=config.gates)
    with config.box.make(options) as running:
        yield running


@pytest.fixture
def namespace(box: Box) -> Iterator[str]:
    """A fresh namespace of the box, deleted afterwards; its name is never used again."""
    name = f"test-{secrets.token_hex(4)}"
    box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    box.api.delete(NAMESPACE, "", name)


@pytest.fixture
def nodes(box: Box) -> Iterator[Callable[..., list[str]]]:
    """A factory of further nodes: `nodes(2, gpus=4)` gives their names. They go with the test."""
    from harness.box.nodes import Pool

    added: list[str] = []

    def add(count: int, gpus: int = 8, **kind: object) -> list[str]:
        names = box.nodes.add(Pool(count, gpus=gpus, **kind))  # type: ignore[arg-type]
        added.extend(names)
        return names

    yield add
    for name in added:
        if name in box.nodes.names:
            box.nodes.remove(name)


@pytest.fixture(scope="session")
def testbed(pytestconfig: pytest.Config) -> Iterator[Testbed]:
    """The integration under test, installed in a box of this worker's own."""
    from harness.runner import case_run
    from harness.runner.opening import open_for
    from harness.testbed.pauses import Pauses

    config, log = asked(pytestconfig), _log(pytestconfig)
    opening = pytestconfig.stash.get(OPENING, None)
    try:
        opened = opening.wait() if opening is not None else open_for(config, log)
    except MusterError as fault:
        pytest.exit(str(fault), returncode=int(fault.exit_code))
    facts = {"implementation": case_run.as_event(case_run.implementation(opened)), "timings": opened.box.timings}
    log.tell("testbed", pid=os.getpid(), **facts)
    pauses = Pauses(lambda: list(opened.box.processes.values()), config.seed or 0) if config.pauses else None
    yield opened
    if pauses is not None:
        pauses.stop()
    if opened.is_kept:
        log.tell("kept", box=opened.box.name, kubeconfig=str(opened.box.kubeconfig))
    opened.close()
    if opened.box.facts:
        log.tell("cluster", integration=opened.integration, facts=opened.facts)


@pytest.fixture
def _repetition(request: pytest.FixtureRequest) -> int:
    """Which repeat this is, when cases run several times."""
    return int(request.param)


@pytest.fixture
def world(request: pytest.FixtureRequest, testbed: Testbed, pytestconfig: pytest.Config) -> Iterator[World]:
    """An empty world for one case; see `harness.cases.world`."""
    from harness.runner import case_run

    case = declared(request.node)
    if case is None:
        raise pytest.UsageError(f"{request.node.nodeid} uses `world` without the @case decorator")
    log = _log(pytestconfig)
    unmet = case.unmet(testbed.adapter.title, testbed.features, testbed.box.kubernetes)
    forbidden = testbed.forbids(case)
    if forbidden or (unmet and not asked(pytestconfig).probe):
        result = case_run.not_supported(case, testbed, forbidden or unmet, BOX if forbidden else "features")
        log.tell("case", result=case_run.as_event(result))
        pytest.skip(f"not supported: {forbidden or unmet}")
    log.tell("begin", case=case.id, integration=testbed.integration)
    try:
        if case.fresh:
            testbed.renew()
        running = case_run.CaseRun(testbed, case, folder(pytestconfig), repetition=_repetition_of(request.node))
    except MusterError as error:  # no verdict, but a case that was asked for
        log.tell("case", result=case_run.as_event(case_run.not_begun(case, testbed, error)))
        testbed.reset()
        pytest.fail(f"{case.id} could not begin: {error}", pytrace=False)
    request.node.stash[CASE_RUN] = running
    yield running.world
    if not testbed.is_kept:
        testbed.reset()


def _repetition_of(item: pytest.Item) -> int:
    """Which repeat this is; 1 when cases run once."""
    return int(item.callspec.params.get("_repetition", 1)) if hasattr(item, "callspec") else 1


# -- judging ----------------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Let a case run, then judge its history: that, not the function, decides."""
    running = pyfuncitem.stash.get(CASE_RUN, None)
    if running is None:
        return (yield)
    error: BaseException | None = None
    try:
        yield
    except (AssertionError, Exception) as raised:
        error = raised
    from harness.runner import baseline, case_run

    result = baseline.explained(asked(pyfuncitem.config).expected, running.finish(error))
    _log(pyfuncitem.config).tell("case", result=case_run.as_event(result))
    if result.outcome is Outcome.VIOLATED and asked(pyfuncitem.config).box.keep_failed:
        running.testbed.is_kept = True
        pyfuncitem.session.shouldfail = "the box of a violation is kept"
    if result.outcome is Outcome.NOT_SUPPORTED:
        pytest.skip(f"not supported: {result.verdicts[0].reason}")
    if result.outcome.is_bad:
        pytest.fail(_story(result, folder(pyfuncitem.config)), pytrace=False)
    return True


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    for side in (left, right):
        if isinstance(side, Verdict):
            return side.story().splitlines()
    return None


def _story(result: CaseResult, where: Path) -> str:
    bad = [verdict for verdict in result.verdicts if verdict.outcome is result.outcome]
    lines = [f"{result.case} on {result.integration}: {result.outcome}", f"  the case  {result.sentence}"]
    lines += [f"  clauses   {', '.join(result.clauses)}"] if result.clauses else []
    lines += [verdict.story() for verdict in bad]
    lines += [f"  harness   {result.error}"] if result.error else []
    lines += [f"  evidence  {where / result.history}"] if result.history else []
    lines += [f"  again     {result.rerun}"]
    return "\n".join(lines)


def _log(config: pytest.Config) -> events.Log:
    worker = getattr(config, "workerinput", {}).get("workerid", events.MAIN)
    return events.Log(folder(config), worker)
