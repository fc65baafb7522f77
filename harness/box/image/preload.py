"""Import images into the containerd store of a node image while it is built.

The node's containerd runs here for a few seconds with a folder of the node as its store. Only its image store is used:
no plugin for Kubernetes, no container, and nothing outside of the folder except a socket.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.box.artifacts import Artifact
from harness.box.environment import component_environment
from harness.core.errors import HarnessError
from harness.core.waiting import until

START_TIMEOUT = 30.0  # seconds; one is usual
CONFIG = """\
version = 3
root = "{root}"
state = "{run}/state"
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
  "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.erofs", "io.containerd.nri.v1.nri"]

[grpc]
  address = "{run}/sock"
[ttrpc]
  address = "{run}/sock.ttrpc"
"""


def preload(containerd: Artifact, archives: Sequence[Path], root: Path) -> None:
    """Import the archives into the store at `root`; the node unpacks those that it needs."""
    with _running(containerd, root) as socket:
        for archive in archives:
            command = [
                containerd.binaries["ctr"],
                "-a",
                socket,
                "-n",
                "k8s.io",
                "images",
                "import",
                "--no-unpack",
                "--local",
                "--digests=false",
                archive,
            ]
            result = subprocess.run(
                [str(argument) for argument in command], capture_output=True, text=True, check=False
            )
            if result.returncode != 0:
                raise HarnessError(f"containerd did not import {archive.name}:\n{result.stderr.strip()[-800:]}")


@contextlib.contextmanager
def _running(containerd: Artifact, root: Path) -> Iterator[Path]:
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="muster-containerd-") as folder:
        run = Path(folder)
        (run / "config.toml").write_text(CONFIG.format(root=root, run=run))
        environment = {
            **component_environment(),
            "PATH": f"{containerd.binaries['ctr'].parent}:{os.environ.get('PATH', '')}",
        }
        with (run / "log").open("wb") as log:
            command = [str(containerd.binaries["containerd"]), "--config", str(run / "config.toml")]
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            _wait(containerd, run, process)
            yield run / "sock"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(containerd: Artifact, run: Path, process: subprocess.Popen[bytes]) -> None:
    ask = [str(containerd.binaries["ctr"]), "-a", str(run / "sock"), "version"]

    def failure() -> HarnessError:
        tail = "\n".join(f"  {line[:300]}" for line in (run / "log").read_text(errors="replace").splitlines()[-6:])
        return HarnessError(f"containerd, which imports the images of the node, did not start:\n{tail}")

    def answers() -> bool:
        if process.poll() is not None:
            raise failure()
        return subprocess.run(ask, capture_output=True, check=False).returncode == 0

    until(answers, START_TIMEOUT, "containerd answers", poll=0.1, failure=failure)
