"""KWOK, which plays fake nodes and their pods: one command for every kind of box."""

from __future__ import annotations

from harness.box.artifacts import Artifact
from harness.box.base import Command
from harness.box.data import data_root
from harness.box.minor import flags
from harness.box.nodes import PLAYER

LEASE = 40  # seconds, as a kubelet has it


def kwok_command(artifact: Artifact, player: str = PLAYER, *, lease: int = LEASE) -> Command:
    """It reads kwok.kubeconfig in the box's folder, and looks after the nodes that name this player.

    `lease` is how long a node counts as alive without news, 0: no leases. A thousand nodes renew a hundred leases a
    second, which costs the API server more than the scheduler under test does.
    """
    options = flags("kwok", stages=data_root() / "clusters" / "stages.yaml", player=player, lease=lease)
    return Command("kwok", (str(artifact.binaries["kwok"]), *options), role="nodes")
