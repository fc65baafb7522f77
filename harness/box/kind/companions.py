"""What runs beside the cluster on this machine, as processes of the box: each does one thing the cluster cannot."""

from __future__ import annotations

import sys

from harness.box.base import Box, Command, Probe, Process
from harness.box.data import PACKAGE
from harness.box.kind import relay
from harness.box.kwok import kwok_command

READY_TIMEOUT = 60.0  # seconds for a relay to listen; a tenth of one is usual


class Companions:
    """Starts them; they end with the box."""

    def __init__(self, box: Box) -> None:
        self._box = box

    def start_kwok(self) -> None:
        """Plays fake nodes and their pods."""
        box = self._box
        box.identity("kwok")
        box.run(kwok_command(box.artifacts["kwok"]))

    def start_gpus(self) -> None:
        """Puts GPUs back that a kubelet drops."""
        self._python("gpus", "gpus", str(self._box.identity("gpus")))

    def start_follower(self) -> None:
        """Brings the logs of programs in the cluster here."""
        self._python("follow", "follow", str(self._box.identity("follow")), "logs")

    def start_relay(self, port: int) -> None:
        """Let the cluster reach the process that listens on this port of 127.0.0.1."""
        name = f"relay-{port}"
        if name not in self._box.processes:
            started = self._python(name, "relay", relay.gateway(), str(port), probe=lambda: relay.listens(port))
            started.wait_ready(READY_TIMEOUT)

    def _python(self, name: str, module: str, *arguments: str, probe: Probe | None = None) -> Process:
        command = (sys.executable, "-m", f"harness.box.kind.{module}", *arguments)
        where = str(PACKAGE.parent)
        return self._box.run(Command(name, command, {"PYTHONPATH": where}, role="box"), probe)
