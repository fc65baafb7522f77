"""KWOK, which plays fake nodes and their pods: one command for every kind of box."""

from __future__ import annotations

from harness.box.artifacts import Artifact
from harness.box.base import Command
from harness.box.data import data_root
from harness.box.minor import flags
from harness.box.nodes import PLAYER


def kwok_command(artifact: Artifact, player: str = PLAYER) -> Command:
    """It reads kwok.kubeconfig in the box's folder, and looks after the nodes that name this player."""
    options = flags("kwok", stages=data_root() / "clusters" / "stages.yaml", player=player)
    return Command("kwok", (str(artifact.binaries["kwok"]), *options), role="nodes")
