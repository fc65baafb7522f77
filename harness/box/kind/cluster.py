"""One kind cluster, through pytest-kind's KindCluster with our own kind and kubectl.

KindCluster calls a program named kind; it is given a small script that passes everything on and adds what it cannot
do: the output of kind goes into the box's log, and a cluster that failed to come up is retained, so that its logs
can be had before it is removed.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.box.kind import docker, removal
from harness.core.errors import HarnessError, UsageError

SCRIPT = """\
#!/bin/sh
case "$1 $2" in
  "get "*) exec {kind} "$@" 2>>{log} ;;
  "create cluster") exec {kind} "$@" --retain >>{log} 2>&1 ;;
  *) exec {kind} "$@" >>{log} 2>&1 ;;
esac
"""


class LocalCluster:
    """A kind cluster whose files lie in a box's folder."""

    def __init__(self, directory: Path, name: str, image: str, *, kind: Path, kubectl: Path) -> None:
        self.name = name
        self.log = directory / "logs" / "kind.log"
        script = directory / "kind"
        script.write_text(SCRIPT.format(kind=shlex.quote(str(kind)), log=shlex.quote(str(self.log))))
        script.chmod(0o700)
        with contextlib.chdir(directory):  # it makes a folder of its own wherever it stands
            self.driver = _driver()(
                name, kubeconfig=directory / "kubeconfig", image=image, kind_path=script, kubectl_path=kubectl
            )

    @property
    def control_plane(self) -> str:
        """The name of the control plane's container, which is also its node's."""
        return f"{self.name}-control-plane"

    def create(self, config: Path) -> None:
        """Create the cluster; returns when its control plane is up, whatever its workers do."""
        try:
            self.driver.create(config)
        except subprocess.CalledProcessError as error:
            raise HarnessError(f"kind could not create the cluster {self.name}:\n{self.tail()}") from error

    def load(self, archive: Path, node: str) -> None:
        """Put the images of an archive onto a node."""
        load = [str(self.driver.kind_path), "load", "image-archive", str(archive), "--name", self.name, "--nodes", node]
        if subprocess.run(load, check=False, stdin=subprocess.DEVNULL).returncode != 0:
            raise HarnessError(f"kind could not load {archive.name} into {self.name}:\n{self.tail()}")

    def export_logs(self, folder: Path) -> None:
        """All logs of the nodes: journals, kubelet, containerd, pods. Never fails: it serves a failure."""
        command = [str(self.driver.kind_path), "export", "logs", "--name", self.name, str(folder)]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, check=False, stdin=subprocess.DEVNULL, timeout=120)

    def delete(self) -> None:
        """Delete it, however far it has come."""
        removal.end_makers(self.name)
        if set(docker.containers(self.name).values()) == {"running"}:
            with contextlib.suppress(subprocess.CalledProcessError):  # what stays is removed below
                self.driver.delete()
        removal.remove(self.name)

    def farewell(self) -> list[str]:
        """The command that deletes the cluster when we are no longer there to do it."""
        return [sys.executable, "-m", removal.__name__, self.name]

    def tail(self, lines: int = 12) -> str:
        """The last lines that kind wrote."""
        try:
            text = self.log.read_text(errors="replace").splitlines()
        except OSError:
            text = []
        return "\n".join(f"  {line[:300]}" for line in text[-lines:] if line.strip()) or "  (it wrote nothing)"


def require_driver() -> None:
    """UsageError if pytest-kind is not installed."""
    _driver()


def _driver() -> Any:
    try:
        from pytest_kind import KindCluster  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise UsageError(
            "a kind box needs pytest-kind, which is not installed",
            hint="pip install 'gang-muster[kind]'. It is GPL-3.0-or-later, therefore never installed by itself.",
        ) from error
    return KindCluster
