"""A proxy on loopback between muster and an API server, which cuts connections and answers that it is busy.

It is a real server with real sockets: watches are cut by a reset in the middle of an event, and an answer of 429 or 503
never reaches the API server. It speaks to the API server as the administrator, whoever asks.
"""

from __future__ import annotations

import contextlib
import random
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import urllib3
import yaml

from harness import EmbeddedBox
from harness.core.files import write_private

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: what is not sent is thrown away, and the other side gets a reset
HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


@dataclass
class Trouble:
    """What the proxy does to whom."""

    seed: int = 0
    cuts: float = 0.0  # share of pieces of a watch at which it is cut
    refusals: float = 0.0  # share of requests that are answered by one of these
    answers: tuple[tuple[int, str], ...] = ((429, "1"), (503, "1"))  # status, and Retry-After; "": no such header
    after: int = 0  # so many requests are left alone
    expires: int = 0  # so many watches that are resumed are told that their revision is gone
    counts: dict[str, int] = field(default_factory=lambda: {"cut": 0, "refused": 0, "expired": 0})
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def count(self) -> None:
        """A request has come."""
        with self._lock:
            self.after -= 1

    def happens(self, share: float, what: str) -> bool:
        with self._lock:
            hit = self.after < 0 and self._random.random() < share
            self.counts[what] += hit
            return hit

    def expires_now(self) -> bool:
        with self._lock:
            if not self.expires or self.after >= 0:
                return False
            self.expires -= 1
            self.counts["expired"] += 1
            return True

    def answer(self) -> tuple[int, str]:
        return self._random.choice(self.answers)


@contextlib.contextmanager
def unsteady(box: EmbeddedBox, folder: Path, trouble: Trouble) -> Iterator[Path]:
    """The kubeconfig of a way to the box that has this trouble."""
    pair = box.authority.issue("proxy")
    certificate = write_private(folder / "proxy.crt", pair.certificate)
    key = write_private(folder / "proxy.key", pair.key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(box, trouble))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    content = yaml.safe_load(box.kubeconfig.read_text())
    content["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{server.server_address[1]}"
    try:
        yield write_private(folder / "unsteady.kubeconfig", yaml.safe_dump(content).encode())
    finally:
        server.shutdown()
        server.server_close()


def _handler(box: EmbeddedBox, trouble: Trouble) -> type[BaseHTTPRequestHandler]:
    pool = urllib3.PoolManager(maxsize=64, ssl_context=box._runtime.credentials.context, retries=False)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 300

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with contextlib.suppress(OSError, urllib3.exceptions.HTTPError):
                super().handle()

        def forward(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else None
            is_watch = "watch=" in self.path
            trouble.count()
            if trouble.happens(trouble.refusals, "refused"):
                self._refuse(*trouble.answer())
                return
            if is_watch and "resourceVersion=" in self.path and trouble.expires_now():
                self._refuse(410, "")
                return
            headers = {name: value for name, value in self.headers.items() if name.lower() not in (*HOP, "host")}
            address, waits = box.server + self.path, urllib3.Timeout(connect=10, read=None)
            request = pool.request(self.command, address, body, headers=headers, preload_content=False, timeout=waits)
            with contextlib.closing(request) as answer:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in HOP:
                        self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while piece := answer.read1(1 << 16, decode_content=False):
                    if is_watch and trouble.happens(trouble.cuts, "cut"):
                        self._cut(piece)
                        return
                    self._write(piece)
                self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

        def _write(self, piece: bytes) -> None:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()

        def _cut(self, piece: bytes) -> None:
            """Send half of what there is, and reset the connection."""
            self._write(piece[: len(piece) // 2] or piece)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.connection.close()
            self.close_connection = True

        def _refuse(self, status: int, retry_after: str) -> None:
            body = (
                b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too busy for that","code":%d}'
                % status
            )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if retry_after:
                self.send_header("Retry-After", retry_after)
            self.end_headers()
            self.wfile.write(body)

    return Handler
