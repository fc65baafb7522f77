"""A running box changes hands: from the process that started it to the one that will use it.

`muster run --spare` leaves a process behind that starts a box and waits. The next run connects to its socket, says
which box it needs, and is given what only the other had: the authority's key, the socket to the keeper and the sockets
that hold the ports. A box lives as long as a process has the socket to its keeper open, so it has an owner at every
moment. Only the owner of the state folder can connect.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.box.base import Command
from harness.box.data import state_root

TIMEOUT = 2.0  # seconds for an answer; a spare box has nothing else to do
MOST_DESCRIPTORS = 32
MOST_BYTES = 1 << 20
NO = b"{}"


@dataclass(frozen=True, slots=True)
class Running:
    """A process of the box."""

    command: Command
    pid: int


@dataclass(frozen=True, slots=True)
class Handover:
    """What has to be known of a box to go on with it."""

    directory: str
    port: int  # of the API server
    keeper: int  # pid
    certificate: bytes  # of its authority, as PEM
    key: bytes
    processes: tuple[Running, ...]

    def as_json(self) -> bytes:
        data: dict[str, Any] = asdict(self)
        data["certificate"], data["key"] = (base64.b64encode(pem).decode() for pem in (self.certificate, self.key))
        return json.dumps(data).encode()


def from_json(content: bytes) -> Handover | None:
    """What `as_json` wrote; None if there is no box."""
    data = json.loads(content)
    if not data:
        return None
    processes = tuple(
        Running(
            Command(
                p["command"]["name"], tuple(p["command"]["argv"]), p["command"]["environment"], p["command"]["role"]
            ),
            p["pid"],
        )
        for p in data["processes"]
    )
    certificate, key = (base64.b64decode(data[name]) for name in ("certificate", "key"))
    return Handover(data["directory"], data["port"], data["keeper"], certificate, key, processes)


def take(key: str) -> tuple[Handover, list[int]] | None:
    """The spare box with this key, and the descriptors that came with it; None if there is none."""
    try:
        with _connected() as client:
            client.sendall(json.dumps({"take": key}).encode() + b"\n")
            content, descriptors, _, _ = socket.recv_fds(client, MOST_BYTES, MOST_DESCRIPTORS)
            offer = from_json(content or NO)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if offer is None or not descriptors:
        for descriptor in descriptors:
            os.close(descriptor)
        return None
    return offer, descriptors


def is_there() -> bool:
    """Whether a spare box waits."""
    try:
        with _connected() as client:
            client.sendall(NO + b"\n")
            return bool(client.recv(len(NO)))
    except OSError:
        return False


def dismiss() -> bool:
    """Have the spare box that waits end; whether there was one."""
    try:
        with _connected() as client:
            client.sendall(json.dumps({"end": True}).encode() + b"\n")
            client.recv(1)  # it closes when all of it is gone
            return True
    except OSError:
        return False


@contextmanager
def listening() -> Iterator[socket.socket]:
    """The socket of the spare box of this user; a later one takes the place of an earlier one."""
    dismiss()
    path = _path()
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as name:
            server.bind(name)
        path.chmod(0o600)
        server.listen(4)
        yield server
    finally:
        forget(server)


def forget(server: socket.socket) -> None:
    """There is no spare box any more."""
    server.close()
    with contextlib.suppress(OSError):
        _path().unlink()


def read_request(client: socket.socket) -> dict[str, Any]:
    """The request of a process that connected; nothing if it makes no sense."""
    client.settimeout(TIMEOUT)
    try:
        request = json.loads(client.recv(4096) or NO)
    except (OSError, ValueError):
        return {}
    return request if isinstance(request, dict) else {}


def give(client: socket.socket, offer: Handover, descriptors: list[int]) -> None:
    """Answer a request with the box."""
    socket.send_fds(client, [offer.as_json()], descriptors)


@contextmanager
def _connected() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as client, _short(_path()) as name:
        client.settimeout(TIMEOUT)
        client.connect(name)
        yield client


def _path() -> Path:
    return state_root() / "spare.sock"


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for the socket that is short enough, whatever the folder is called."""
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)
