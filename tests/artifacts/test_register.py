"""The register of components, the available versions, and the locks behind them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.box.artifacts import register as reg
from harness.box.artifacts.lock import go_mod, make_lock
from harness.box.artifacts.toolchain import required_go
from harness.core.errors import HarnessError, UsageError

ENTRY = """
box: [tool]
components:
  tool:
    module: example.org/tool
    default: 1.2.3
    processes:
      tool: {package: example.org/tool/v3}
"""


def write(tmp_path: Path, text: str = ENTRY, versions: tuple[str, ...] = ()) -> reg.Register:
    path = tmp_path / "components.yaml"
    path.write_text(text)
    for version in versions:
        folder = tmp_path / "locks" / "tool" / version
        folder.mkdir(parents=True)
        (folder / "go.mod").write_text("module lock\n\ngo 1.25.0\n")
        (folder / "go.sum").write_text("")
    return reg.load(path)


def test_shipped_register_has_a_lock_for_every_default() -> None:
    register = reg.load()
    for name, component in register.components.items():
        assert register.lock(name).version == component.default
        assert component.licence and component.homepage and component.about


def test_shipped_locks_require_the_version_they_are_named_after() -> None:
    register = reg.load()
    for name, component in register.components.items():
        for version, lock in register.locks(name).items():
            text = lock.files[0].read_text()
            assert f"require {component.module} v{version}\n" in text
            assert f"\n{component.module} v{version} h1:" in "\n" + lock.files[1].read_text()
            assert required_go(lock.files[0])


def test_unknown_component_offers_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        reg.load().component("kubernets")
    assert "Did you mean 'kubernetes'?" in caught.value.hint
    assert "etcd" in caught.value.hint


def test_unknown_process_lists_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        reg.load().process("kubernetes.kube-scheduller")
    assert "'kube-scheduler'" in caught.value.hint
    assert "kube-apiserver" in caught.value.hint


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        (None, "1.2.3"),
        ("1.2", "1.2.10"),
        ("1", "1.3.0"),
        ("1.2.9", "1.2.9"),
        ("v1.2.9", "1.2.9"),
        ("1.4.0-rc.1", "1.4.0-rc.1"),
    ],
)
def test_version_resolves(tmp_path: Path, asked: str | None, got: str) -> None:
    register = write(tmp_path, versions=("1.2.3", "1.2.9", "1.2.10", "1.3.0", "1.4.0-rc.1"))
    assert register.lock("tool", asked).version == got


@pytest.mark.parametrize("asked", ["1.2.4", "1.9", "latest", "", "1.", "../1.2.3"])
def test_version_without_lock_lists_the_available_ones(tmp_path: Path, asked: str) -> None:
    register = write(tmp_path, ENTRY.replace("1.2.3", "9.9.9"), versions=("1.2.3",))
    with pytest.raises(UsageError) as caught:
        register.lock("tool", asked)
    assert "Available: 1.2.3." in caught.value.hint
    assert "muster lock tool@" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("module: example.org/tool", "modul: example.org/tool", "'modul' was unexpected.*allowed: about"),
        ("    module: example.org/tool\n", "", "'module' is a required property"),
        ("default: 1.2.3", "default: 1.2", r"tool default: expected a version such as 1.37.1; given: 1.2"),
        ("default: 1.2.3", "default: 1.2.3\n    ldflags: ['-X a={build}']", "unknown placeholder"),
        ("{package: example.org/tool/v3}", "{pkg: x}", "tool processes tool: expected package"),
        ("{package: example.org/tool/v3}", "{package: a/x}\n      two: {package: b/x}", "same package name"),
        (
            "{package: example.org/tool/v3}",
            "{package: a/x, file: f}\n      two: {package: b/y, file: f}",
            "same file name",
        ),
        ("default: 1.2.3", "default: 1.2.3\n    files: {crds: config/*.yaml}", "tool files crds: expected a list"),
        ("default: 1.2.3", "default: 1.2.3\n    files: {crds: [../x]}", "relative to the module"),
        ("default: 1.2.3", "default: 1.2.3\n    swaps: [{prefix: a/}]", "prefix, asked and taken"),
        ("default: 1.2.3", "default: 1.2.3\n    files: {crds: [a/../x]}", "relative to the module"),
        ("default: 1.2.3", "default: 1.2.3\n    files: {crds: [/x]}", "relative to the module"),
        ("default: 1.2.3", "default: 1.2.3\n    disk_mb: much", "disk_mb: expected a number"),
        ("  tool:\n", "  Tool:\n", "expected names in lower case.*given: 'Tool'"),
        ("box: [tool]", "box: [tol]", "unknown components: tol"),
        ("box: [tool]", "boxes: [tool]", "expected the two keys"),
    ],
)
def test_faulty_register_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(HarnessError, match=message):
        write(tmp_path, ENTRY.replace(old, new))


def test_go_names_binaries_without_the_major_version() -> None:
    assert reg.ComponentProcess("etcd", "go.etcd.io/etcd/server/v3", "etcd").built_as == "server"
    assert reg.ComponentProcess("x", "example.org/cmd/x", "x").built_as == "x"


def test_linker_flags_carry_the_version() -> None:
    flags = reg.load().component("kubernetes").linker_flags("1.36.4")
    assert flags.startswith("-s -w ")
    assert "k8s.io/component-base/version.gitVersion=v1.36.4" in flags
    assert "version.gitMinor=36" in flags


def test_lock_replaces_staging_and_keeps_other_replacements() -> None:
    component = reg.load().component("kubernetes")
    source = {
        "Go": "1.26.0",
        "GoDebug": [{"Key": "default", "Value": "go1.26"}],
        "Require": [{"Path": "k8s.io/api", "Version": "v0.0.0"}, {"Path": "k8s.io/klog/v2", "Version": "v2.1.0"}],
        "Replace": [
            {"Old": {"Path": "k8s.io/apimachinery"}, "New": {"Path": "./staging/src/k8s.io/apimachinery"}},
            {"Old": {"Path": "example.org/local"}, "New": {"Path": "../local"}},
            {
                "Old": {"Path": "example.org/a", "Version": "v1.0.0"},
                "New": {"Path": "example.org/b", "Version": "v1.1.0"},
            },
        ],
    }
    text = go_mod(component, "1.37.1", source)
    assert "godebug default=go1.26\n" in text
    assert "\tk8s.io/api => k8s.io/api v0.37.1\n" in text
    assert "\tk8s.io/apimachinery => k8s.io/apimachinery v0.37.1\n" in text
    assert "\texample.org/a v1.0.0 => example.org/b v1.1.0\n" in text
    assert "klog" not in text and "example.org/local" not in text
    assert "\tk8s.io/kubernetes/cmd/kube-scheduler\n" in text


def test_lock_swaps_versions_nobody_serves() -> None:
    component = reg.load().component("scheduler-plugins")
    source = {
        "Go": "1.24.0",
        "Require": [{"Path": "k8s.io/kms", "Version": "v0.34.7"}, {"Path": "k8s.io/klog/v2", "Version": "v2.1.0"}],
        "Replace": [
            {"Old": {"Path": "k8s.io/api"}, "New": {"Path": "k8s.io/api", "Version": "v0.34.7"}},
            {"Old": {"Path": "k8s.io/kubernetes"}, "New": {"Path": "k8s.io/kubernetes", "Version": "v1.34.7"}},
            {"Old": {"Path": "k8s.io/old"}, "New": {"Path": "k8s.io/old", "Version": "v0.31.8"}},
        ],
    }
    text = go_mod(component, "0.34.7", source)
    for path, version in {"api": "v0.34.4", "kms": "v0.34.4", "kubernetes": "v1.34.4", "old": "v0.31.8"}.items():
        assert f"\tk8s.io/{path} => k8s.io/{path} {version}\n" in text
    assert "klog" not in text


@pytest.mark.parametrize("version", ["", "1.37", "latest", "1.37.x"])
def test_lock_needs_a_full_version(version: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="full version"):
        make_lock("kubernetes", version, output=tmp_path)
    assert not any(tmp_path.iterdir())
