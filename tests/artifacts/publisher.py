"""What a vendor publishes, on loopback: an HTTPS file server with its own authority, and a registry behind a token."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import json
import ssl
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.box.pki import Authority

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
TOKEN = "everybody"


@dataclass
class Publisher:
    """Files by their path, and what was asked for."""

    address: str
    authority: Path  # a file with the certificate
    files: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    wants_token: bool = True  # for everything below /v2/

    def put(self, path: str, content: bytes, kind: str = "application/octet-stream") -> str:
        """Publish a file; its digest."""
        self.files[path], self.types[path] = content, kind
        return f"sha256:{hashlib.sha256(content).hexdigest()}"

    def put_image(self, repository: str, tag: str, architecture: str, files: dict[str, bytes]) -> str:
        """Publish an image of one layer for one platform, behind an index; the digest of the index."""
        base = f"/v2/{repository}"
        blobs = [self._blob(base, kind, content) for kind, content in ((CONFIG, b"{}"), (LAYER, archive(files)))]
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": blobs[0], "layers": blobs[1:]}
        digest = self._document(base, manifest, MANIFEST)
        images = [
            {"mediaType": MANIFEST, "digest": name, "size": size, "platform": {"os": "linux", "architecture": machine}}
            for name, size, machine in (
                (f"sha256:{'0' * 64}", 1, "s390x"),
                (digest, len(json.dumps(manifest)), architecture),
            )
        ]
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": images}
        digest = self._document(base, index, INDEX)
        self.put(f"{base}/manifests/{tag}", json.dumps(index).encode(), INDEX)
        return digest

    def _blob(self, base: str, kind: str, content: bytes) -> dict[str, object]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.put(f"{base}/blobs/{digest}", content)
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def _document(self, base: str, document: dict[str, object], kind: str) -> str:
        content = json.dumps(document).encode()
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        return self.put(f"{base}/manifests/{digest}", content, kind)


def archive(files: dict[str, bytes]) -> bytes:
    """A compressed archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as content:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            content.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@contextlib.contextmanager
def publishing(folder: Path) -> Iterator[Publisher]:
    """A server on a port of its own."""
    authority = Authority.create()
    pair = authority.issue("publisher")
    certificate, key, root = folder / "server.pem", folder / "server.key", folder / "authority.pem"
    for path, content in ((certificate, pair.certificate), (key, pair.key), (root, authority.certificate)):
        path.write_bytes(content)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.requests.append(self.path)
            path = self.path.partition("?")[0]
            if path == "/token":
                self._answer(200, json.dumps({"token": TOKEN}).encode(), "application/json")
            elif (
                path.startswith("/v2/")
                and publisher.wants_token
                and self.headers.get("Authorization") != f"Bearer {TOKEN}"
            ):
                self.send_response(401)
                self.send_header("WWW-Authenticate", f'Bearer realm="{publisher.address}/token",service="registry"')
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif path in publisher.files:
                self._answer(200, publisher.files[path], publisher.types[path])
            else:
                self._answer(404, b"nothing here", "text/plain")

        def _answer(self, status: int, content: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    publisher = Publisher(f"https://127.0.0.1:{server.server_address[1]}", root)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield publisher
    finally:
        server.shutdown()
        server.server_close()
