"""The spare box: started when a run has ended, taken by the next one, or stopped after a while.

It is off by default: an unused control plane needs memory. `muster run --spare` leaves it, and takes the one that an
earlier run has left, if that has the same programs, gates and definitions.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from harness.box.embedded.box import EmbeddedBox

LIFETIME = 300.0  # seconds that it waits for a run
LOOK = 1.0  # seconds between two looks whether it is still there


def leave(folder: Path, integration: str) -> None:
    """Have a spare box started for the run in this folder; returns at once."""
    subprocess.Popen(
        [sys.executable, "-m", "harness.runner.spare", str(folder.absolute()), integration],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )


def hold(folder: Path, integration: str, lifetime: float = LIFETIME) -> bool:
    """Start a box as that run had one, and give it to the run that asks for one like it; whether one did."""
    from dataclasses import replace

    from harness.adapters import adapter
    from harness.adapters.common.base import Settings
    from harness.box.embedded import handover
    from harness.box.options import BoxOptions
    from harness.runner.config import FILE, read_config
    from harness.testbed.install import suited

    config = read_config(folder / FILE).only(integration)
    name, _, version = integration.partition("@")
    settings = Settings(version or None, config.binaries, config.settings)
    asked = replace(config.box, spare=False)
    spec, box_options = suited(adapter(name), asked, settings, BoxOptions(gates=config.gates, reserved=True))
    with spec.embedded(box_options) as box, handover.listening() as server:
        is_taken = _serve(server, box, lifetime)
        if is_taken:
            handover.forget(server)
            os._exit(0)  # without an end of the box: its keeper has a new muster
    return is_taken


def _serve(server: socket.socket, box: EmbeddedBox, lifetime: float) -> bool:
    """Whether a run has taken the box; otherwise it was dismissed, or no run asked in time."""
    from harness.box.embedded import handover

    offer, descriptors = box.hand_over()
    end = time.monotonic() + lifetime
    server.settimeout(LOOK)
    while time.monotonic() < end and psutil.pid_exists(offer.keeper):
        try:
            client, _ = server.accept()
        except TimeoutError:
            continue
        with client, contextlib.suppress(OSError):  # who does not wait for an answer gets none
            request = handover.read_request(client)
            if request.get("take") == box.key:
                handover.give(client, offer, descriptors)
                return True
            if request.get("end"):
                box.stop()
                return False
            client.sendall(handover.NO)
    return False


if __name__ == "__main__":
    hold(Path(sys.argv[1]), sys.argv[2])
