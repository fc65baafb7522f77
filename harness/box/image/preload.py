"""Put images into a node's containerd before there is a node.

The node's own containerd runs here for a few seconds with the node's folder as its store. Only its image store is
used: no plugin for Kubernetes, no container, nothing outside of the folder but a socket.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.box.artifacts import Artifact
from harness.core.errors import HarnessError

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
    """Import the archives into the store at `root`; unpacking is left to the node, which needs not all of them."""
    with _running(containerd, root) as socket:
        for archive in archives:
            command = [containerd.binaries["ctr"], "-a", socket, "-n", "k8s.io", "images", "import", "--no-unpack",
                       "--local", "--digests=false", archive]  # fmt: skip
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise HarnessError(f"containerd did not take {archive.name}:\n{done.stderr.strip()[-800:]}")


@contextlib.contextmanager
def _running(containerd: Artifact, root: Path) -> Iterator[Path]:
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="muster-containerd-") as folder:
        run = Path(folder)
        (run / "config.toml").write_text(CONFIG.format(root=root, run=run))
        environment = {**os.environ, "PATH": f"{containerd.binaries['ctr'].parent}:{os.environ.get('PATH', '')}"}
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
    deadline = time.monotonic() + START_TIMEOUT
    while subprocess.run(ask, capture_output=True, check=False).returncode != 0:
        if process.poll() is not None or time.monotonic() > deadline:
            tail = "\n".join(f"  {line[:300]}" for line in (run / "log").read_text(errors="replace").splitlines()[-6:])
            raise HarnessError(f"containerd, which is to hold the node's images, did not come up:\n{tail}")
        time.sleep(0.1)
