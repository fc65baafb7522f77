"""Let the API server of a kind cluster call webhooks that are processes of this machine.

Such a process listens on 127.0.0.1, which is another place inside the API server's container. So a webhook's address is
changed to this machine's address on the cluster's network when its configuration is written, and a small process of
the box listens there and passes every byte on. Certificates name both addresses; TLS goes through untouched.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from harness.box.api import Api, Object
from harness.core.errors import HarnessError

LOOPBACK = "https://127.0.0.1:"
HOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
CHUNK = 1 << 16


class RelayedApi(Api):
    """A client that changes the addresses of webhooks on their way to the API server."""

    def __init__(self, server: str, context: ssl.SSLContext, *, gateway: str, relay: Callable[[int], None]) -> None:
        super().__init__(server, context)
        self.gateway = gateway
        self._relay = relay

    def apply(self, obj: Object) -> Object:
        return super().apply(self._reachable(obj))

    def create(self, obj: Object, **params: str) -> Object:
        return super().create(self._reachable(obj), **params)

    def _reachable(self, obj: Object) -> Object:
        if obj.get("kind") not in HOOKS:
            return obj
        hooks = [{**hook, "clientConfig": self._client(hook["clientConfig"])} for hook in obj.get("webhooks") or ()]
        return {**obj, "webhooks": hooks}

    def _client(self, config: dict[str, Any]) -> dict[str, Any]:
        url = str(config.get("url", ""))
        if not url.startswith(LOOPBACK):
            return config
        self._relay(int(url.removeprefix(LOOPBACK).partition("/")[0]))
        return {**config, "url": url.replace("127.0.0.1", self.gateway, 1)}


def gateway(network: str = "kind") -> str:
    """This machine's address on the cluster's network."""
    inspection = subprocess.run(
        ["docker", "network", "inspect", network], capture_output=True, text=True, check=False, timeout=20
    )
    for description in json.loads(inspection.stdout or "[]"):
        for entry in description["IPAM"]["Config"]:
            address = str(entry.get("Gateway", "")).partition("/")[0]
            if "." in address:
                return address
    raise HarnessError(f"the Docker network {network!r} has no gateway that webhooks could be reached at")


def listens(port: int) -> bool:
    """Whether the relay of this port is there."""
    try:
        socket.create_connection((gateway(), port), timeout=2).close()
    except OSError:
        return False
    return True


async def serve(address: str, port: int) -> None:
    """Pass on every connection to this address to the same port of 127.0.0.1, until this process is ended."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:  # no process listens: the caller shall see that, too
            writer.close()
            return
        await asyncio.gather(carry(reader, inner_writer), carry(inner_reader, writer))

    server = await asyncio.start_server(connected, address, port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
