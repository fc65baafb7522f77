"""Options become one configuration, in the same way for `muster run` and for pytest, and travel in run.json."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from harness.box.spec import BoxSpec
from harness.cli.options import texts_of
from harness.cli.run import run
from harness.core.errors import UsageError
from harness.runner import opening, option_values, options, plugin_options
from harness.runner.config import FILE, RunConfig, read_config
from harness.runner.plugin import asked, pools

pytest_plugins = "pytester"

SCHEDULER = "kubernetes.kube-scheduler"


@pytest.fixture(autouse=True)
def nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session opens its box at once; these ones only read options, and some of another Kubernetes than is built."""
    monkeypatch.setattr(opening, "take", lambda config, log: None)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An executable whose path has a comma in it."""
    path = tmp_path / "a,b" / "kube-scheduler"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def everything(program: Path) -> RunConfig:
    """A configuration in which no option has its default."""
    return RunConfig(
        integrations=("volcano@1.14.1",),
        box=BoxSpec("kind", "1.36", 3, "own", "2s", keep_failed=True),
        profile="GANG-CORE,GANG-QUEUE",
        cases=("gang-that-fits-is-bound-whole", "one-of-two-gangs-wins-whole"),
        timeout_factor=2.5,
        repeat=3,
        probe=True,
        workers=2,
        shard="2/8",
        order="random",
        seed=7,
        settings={"actions": "allocate, preempt,backfill"},
        gates={"GangScheduling": False},
        binaries={SCHEDULER: program},
        implementation_version="1.2.3-rc1",
    )


HERE = RunConfig(box=BoxSpec(spare=True))
ELSEWHERE = RunConfig(
    box=BoxSpec(
        "existing",
        kubeconfig="config",
        context="staging",
        audit_log=__file__,
        nodes_selector="pool=lab,gpu=true",
        pause_image="registry.example/pause",
        disrupt="queues,scheduler",
    )
)


def words_of(config: RunConfig) -> list[str]:
    return [word for option in options.OPTIONS for word in option.arguments(config)]


def from_command_line(*arguments: str) -> RunConfig:
    """What `muster run` makes of these arguments."""
    return options.parse(texts_of(run.make_context("run", list(arguments)).params))


def test_no_option_is_lost_between_a_command_line_and_the_configuration(everything: RunConfig) -> None:
    assert from_command_line(*words_of(everything)) == everything
    for config in (HERE, ELSEWHERE):
        assert from_command_line("--profile", "all", *words_of(config)).box == config.box
    for option in options.OPTIONS:
        values = [option.arguments(config) for config in (everything, HERE, ELSEWHERE)]
        assert any(values), "one more option needs its value here"


def test_no_value_is_lost_in_run_json(everything: RunConfig, tmp_path: Path) -> None:
    path = everything.write(tmp_path)

    read = read_config(path)
    assert read.folder == tmp_path
    assert read.as_data() == everything.as_data()
    assert read.binaries == everything.binaries


def test_defaults_of_the_command_and_of_the_plugin(pytester: pytest.Pytester) -> None:
    assert from_command_line() == RunConfig(profile="core")
    assert asked(pytester.parseconfigure()) == RunConfig(profile="all")


def test_pytest_has_the_same_options(everything: RunConfig, pytester: pytest.Pytester) -> None:
    arguments = [
        f"--muster-{option.name}={text}" for option in plugin_options.OFFERED for text in option.texts(everything)
    ]

    config = asked(pytester.parseconfigure(*arguments))
    assert {**config.as_data(), "workers": 2} == everything.as_data()


def test_the_flag_wins_over_the_variable_and_the_variable_over_the_ini_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nmuster_kubernetes = 1.35\nmuster_repeat = 4\nmuster_nodes = 2x4\n")

    assert asked(pytester.parseconfigure()).box.kubernetes == "1.35"
    monkeypatch.setenv("MUSTER_KUBERNETES", "1.36")
    assert asked(pytester.parseconfigure()).box.kubernetes == "1.36"
    config = pytester.parseconfigure("--muster-kubernetes=1.37")
    assert asked(config).box.kubernetes == "1.37"
    assert asked(config).repeat == 4
    assert [(pool.count, pool.gpus) for pool in pools(config)] == [(2, 4)]


def test_a_variable_names_several_programs(program: Path, pytester: pytest.Pytester, monkeypatch) -> None:
    monkeypatch.setenv("MUSTER_BINARY", f"{SCHEDULER}={program},etcd.etcd={program}")

    assert asked(pytester.parseconfigure()).binaries == {SCHEDULER: program, "etcd.etcd": program}


def test_what_run_json_says_is_not_changed_by_variables(
    everything: RunConfig, tmp_path: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUSTER_REPEAT", "9")
    two = RunConfig(("volcano", "workload@1.36"), profile="core")
    two.write(tmp_path)

    config = pytester.parseconfigure(f"--muster-config={tmp_path / FILE}", "--muster-integration=workload@1.36")
    assert asked(config) == RunConfig(("workload@1.36",), BoxSpec(kubernetes="1.36"), profile="core", folder=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", ""], "--case: expected ID, given nothing"),
        (["--case", ","], "--case: expected ID, given nothing"),
        (["--profile", ""], "--profile: expected LEVEL|NAME, given nothing"),
        (["--profile", "GANG-COR"], "Did you mean 'GANG-CORE'?"),
        (["--timeout-factor", "0"], "expected a positive number, given '0'"),
        (["--timeout-factor", "nan"], "expected a positive number, given 'nan'"),
        (["--timeout-factor", "-1"], "expected a positive number, given '-1'"),
        (["--repeat", "0"], "--repeat: expected a whole number from 1 to 1000, given '0'"),
        (["--repeat", "2.5"], "--repeat: expected a whole number from 1 to 1000, given '2.5'"),
        (["-n", "65"], "--workers: expected a whole number from 1 to 64, given '65'"),
        (["--kind-workers", "³"], "--kind-workers: expected a whole number from 1 to 20, given '³'"),
        (["--kind-workers", "2"], "--box kind only"),
        (["--box", "knd"], "Did you mean 'kind'?"),
        (["--keep", "all"], "--keep: expected failed, given 'all'"),
        (["--set", "colour"], "--set: expected KEY=VALUE, given 'colour'"),
        (["--set", "=1"], "--set: expected KEY=VALUE, given '=1'"),
        (["--set", "a=1", "--set", "a=2"], "--set: a is given twice: '1' and '2'"),
        (["--order", "randon"], "Did you mean 'random'?"),
        (["--order", "random", "--seed", "-1"], "--seed: expected a whole number from 0 to 999999999, given '-1'"),
        (["--seed", "7"], "--seed 7 has no effect without a random order"),
        (["--gate", "GangScheduling=yes"], "--gate GangScheduling: expected true or false, given 'yes'"),
        (["--binary", f"{SCHEDULER}=/no/such/file"], "must be an existing file; given: /no/such/file"),
        (["--binary", "kubernetes.kube-schedular=/bin/sh"], "kube-scheduler"),
        (["--binary", "/bin/sh"], "--binary must be COMPONENT.PROCESS=PATH; given: '/bin/sh'"),
        (["--integration", "volcano@"], "no version after the @"),
        (["--integration", "volcano@0.1"], "1.14.1"),
        (["--integration", "reference@1"], "no versions to choose from"),
        (["--kubernetes", "1.12"], "1.37.1"),
        (["--integration", "workload@1.36", "--kubernetes", "1.37"], "Leave one of the two out"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        from_command_line(*arguments)
    assert message in str(error.value)


CASES = """
from harness import World, case

@case("A case MUST be collected.")
def test_{0}(world: World) -> None: ...
"""


def collected(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """The cases in the order in which pytest would run them."""
    done = pytester.runpytest_inprocess("--collect-only", "-q", *arguments)
    return [line for line in done.outlines if "::" in line]


def test_a_seed_gives_one_order_and_another_seed_another(pytester: pytest.Pytester) -> None:
    for name in ("alpha", "beta", "gamma", "delta"):
        pytester.makepyfile(**{f"test_{name}": CASES.format(name)})

    plain = collected(pytester, "--muster-repeat=3")
    first = collected(pytester, "--muster-repeat=3", "--muster-order=random", "--muster-seed=1")
    assert plain != first
    assert sorted(plain) == sorted(first)
    assert collected(pytester, "--muster-repeat=3", "--muster-order=random", "--muster-seed=1") == first
    assert collected(pytester, "--muster-repeat=3", "--muster-order=random", "--muster-seed=2") != first


def test_a_random_order_that_nobody_gave_a_seed_can_be_had_again(pytester: pytest.Pytester, tmp_path: Path) -> None:
    config = asked(pytester.parseconfigure("--muster-order=random"))
    assert config.seed is not None
    assert read_config(config.write(tmp_path)).seed == config.seed


def test_pytest_refuses_in_one_sentence(pytester: pytest.Pytester) -> None:
    done = pytester.runpytest_subprocess("--muster-repeat=none")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --muster-repeat: expected a whole number from 1 to 1000, given 'none'" in done.stderr.str()
    several = pytester.runpytest_subprocess("--muster-integration=workload,volcano")
    assert "one at a time, given workload, volcano" in several.stderr.str()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "muster.run/0"}', '{"format": "muster.run/1"}'])
def test_a_file_that_is_no_configuration_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text(content)

    with pytest.raises(UsageError, match="is no configuration of a run"):
        read_config(path)


def test_an_unknown_key_of_a_configuration_is_refused(tmp_path: Path) -> None:
    path = RunConfig().write(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "red"}))

    with pytest.raises(UsageError, match="colour"):
        read_config(path)


def test_a_comma_in_a_setting_is_part_of_it() -> None:
    assert option_values.pairs("--set", ["actions=allocate, preempt,backfill,queue=a"]) == {
        "actions": "allocate, preempt,backfill",
        "queue": "a",
    }


def test_the_command_that_runs_a_case_again_gives_the_same_testbed(everything: RunConfig) -> None:
    arguments = shlex.split(options.rerun_command(everything, "1.36.4"))

    again = from_command_line(*arguments[2:])
    assert arguments[:2] == ["muster", "run"]
    for field in ("integrations", "settings", "gates", "binaries", "timeout_factor", "probe"):
        assert getattr(again, field) == getattr(everything, field)
    assert (again.box.kind, again.box.kubernetes, again.box.workers) == ("kind", "1.36.4", 3)


def test_the_command_for_a_version_of_the_native_api_can_be_given() -> None:
    config = RunConfig(("workload@1.36.4",)).only("workload@1.36.4")

    assert options.rerun_command(config, "1.36.4") == "muster run --integration workload@1.36.4"


@pytest.mark.parametrize(
    ("config", "selected"),
    [
        (RunConfig(), {"quick", "far", "slow"}),
        (RunConfig(profile="extended"), {"quick", "far"}),
        (RunConfig(profile="core"), {"quick"}),
        (RunConfig(profile="GANG-QUEUE"), {"far"}),
        (RunConfig(profile="core", cases=("slow",)), {"slow"}),
    ],
)
def test_slow_cases_are_selected_by_all_or_by_name(config: RunConfig, selected: set[str]) -> None:
    from harness.core.catalogue.cases import Case

    cases = [
        Case("quick", "It MUST.", "placement"),
        Case("far", "It MUST.", "queues", profile="GANG-QUEUE", level="extended"),
        Case("slow", "It MUST.", "placement", slow=True),
    ]
    assert {case.id for case in cases if config.selects(case)} == selected
