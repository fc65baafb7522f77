"""Free ports that stay ours.

Asking the kernel for a free port and giving it back before the component binds it is a race that two boxes starting
at once do lose. Instead the port stays bound by a socket of ours for the box's whole life: it is taken without
SO_REUSEADDR, so no other process can have it, and then marked reusable, so that the component (Go sets SO_REUSEADDR on
every listener) may bind it beside us. Our socket never listens. A restarted component finds its port still free.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

from harness.core.errors import UsageError


class Ports:
    """Ports on the loopback address, reserved until `close`."""

    def __init__(self) -> None:
        self._held: list[socket.socket] = []

    def reserve(self, port: int = 0) -> int:
        """A free port, or exactly this one; UsageError if that is taken."""
        holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            holder.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            holder.close()
            raise UsageError(
                f"port {port} on 127.0.0.1 cannot be used: {error}",
                hint="choose another port, or leave it out and a free one is taken",
            ) from error
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.append(holder)
        return int(holder.getsockname()[1])

    @property
    def descriptors(self) -> list[int]:
        """The sockets that hold them."""
        return [holder.fileno() for holder in self._held]

    def take_over(self, descriptors: Sequence[int]) -> None:
        """Hold the ports that another process has reserved."""
        self._held += [socket.socket(fileno=descriptor) for descriptor in descriptors]

    def close(self) -> None:
        for holder in self._held:
            holder.close()
        self._held.clear()
