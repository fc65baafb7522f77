"""Programs out of container images: the registry API over HTTPS, layer by layer, without a container engine.

`oras` was looked at: it does not compare what arrives with its digest, and reads no image index, which are the two
things that matter here; what is left is a handful of requests. Everything that a registry sends is named by its digest
and refused if it is something else, so an image that was verified once is the same image for ever.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from harness.box.artifacts import fetch
from harness.core.errors import ArtifactError

INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
HOSTS = {"docker.io": "https://registry-1.docker.io"}  # registries whose API has another name than they have
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


@dataclass(slots=True)
class Image:
    """One image of a registry, such as docker.io/volcanosh/vc-scheduler:v1.14.1."""

    name: str
    architecture: str  # as Go calls it
    _token: dict[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> str:
        return self.name.partition("/")[2].rpartition(":")[0]

    @property
    def tag(self) -> str:
        return self.name.rpartition(":")[2]

    def digest(self) -> str:
        """The digest of what the tag names now."""
        return "sha256:" + hashlib.sha256(self._bytes(f"manifests/{self.tag}")).hexdigest()

    def extract(self, digest: str, member: str, target: Path, received: fetch.Received) -> None:
        """Write one file of the image of this digest; ArtifactError if the registry has something else."""
        manifest = self._document(digest)
        if "manifests" in manifest:
            manifest = self._document(self._of_platform(manifest))
        for layer in reversed(manifest.get("layers", [])):  # the last layer that has the file decides
            if self._from_layer(layer, member, target, received):
                return
        raise fetch.UnreachableError(f"{self.name}: no layer has the file {member}")

    def _of_platform(self, index: Mapping[str, Any]) -> str:
        for entry in index["manifests"]:
            platform = entry.get("platform", {})
            if (platform.get("os"), platform.get("architecture")) == ("linux", self.architecture):
                return str(entry["digest"])
        raise fetch.UnreachableError(f"{self.name}: there is no image for linux/{self.architecture}")

    def _document(self, digest: str) -> Any:
        content = self._bytes(f"manifests/{digest}")
        _check(f"{self.name}: the manifest", digest, hashlib.sha256(content).hexdigest())
        return json.loads(content)

    def _from_layer(self, layer: Mapping[str, Any], member: str, target: Path, received: fetch.Received) -> bool:
        digest = str(layer["digest"])
        if not _DIGEST.fullmatch(digest):
            raise ArtifactError(f"{self.name}: {digest!r} is no digest of a layer")
        archive = target.with_suffix(".layer")
        url = self._url(f"blobs/{digest}")
        try:
            _check(f"{self.name}: a layer", digest, fetch.download(url, archive, received, self._token))
            return _unpack(archive, str(layer.get("mediaType", "")), member, target)
        finally:
            archive.unlink(missing_ok=True)

    def _bytes(self, path: str) -> bytes:
        """A document of the registry; asks for a token if the registry wants one, as public ones do."""
        for _ in range(2):
            with fetch.opened(self._url(path), {"Accept": ", ".join((*INDEXES, *MANIFESTS)), **self._token}) as answer:
                if answer.status == 401 and not self._token:
                    challenge = answer.headers.get("WWW-Authenticate", "")
                else:
                    fetch.expect_success(answer, self._url(path))
                    return answer.read(fetch.MOST_TEXT)
            self._authorize(challenge)
        raise fetch.UnreachableError(f"{self.name}: the registry does not allow anonymous reads")

    def _authorize(self, challenge: str) -> None:
        """Get the token that a registry gives to everybody."""
        values = dict(_CHALLENGE.findall(challenge))
        if "realm" not in values:
            raise fetch.UnreachableError(f"{self.name}: the registry asks for a login: {challenge or 'no challenge'}")
        scope = values.get("scope", f"repository:{self.repository}:pull")
        answer = fetch.json_of(f"{values['realm']}?service={values.get('service', '')}&scope={scope}")
        self._token = {"Authorization": f"Bearer {answer.get('token') or answer.get('access_token')}"}

    def _url(self, path: str) -> str:
        host = self.name.partition("/")[0]
        return f"{HOSTS.get(host, f'https://{host}')}/v2/{self.repository}/{path}"


def _check(what: str, expected: str, actual: str) -> None:
    if expected != f"sha256:{actual}":
        raise ArtifactError(
            f"{what} has another digest\n  expected: {expected}\n  received: sha256:{actual}",
            hint="Something between here and the registry changes what it sends. Nothing was installed.",
        )


def _unpack(archive: Path, media_type: str, member: str, target: Path) -> bool:
    """Whether a layer has the file; then it is written."""
    with archive.open("rb") as raw:
        compressed: Any = zstandard.ZstdDecompressor().stream_reader(raw) if media_type.endswith("zstd") else raw
        with tarfile.open(fileobj=compressed, mode="r|" if media_type.endswith("zstd") else "r|*") as layer:
            for entry in layer:
                if entry.isfile() and entry.name.removeprefix("./").removeprefix("/") == member:
                    content = layer.extractfile(entry)
                    assert content is not None, "it is a file"
                    with target.open("wb") as out:
                        while chunk := content.read(fetch.CHUNK):
                            out.write(chunk)
                    return True
    return False
