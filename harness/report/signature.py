"""Signatures of archives by sigstore, for those who want to know who stands for a report.

The extra `sigstore` brings the library; without it everything else works. A signature is a file of its own beside the
archive, in sigstore's bundle format, so that `cosign verify-blob` can check it without muster.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError, MusterError, UsageError
from harness.core.files import put
from harness.core.untrusted import read_bytes

SUFFIX = ".sigstore.json"
MOST_BYTES = 1 << 20  # of a bundle; real ones have 10 KB
MOST_SIGNED = 200 << 20  # of an archive: the library wants it in memory


def beside(archive: Path) -> Path:
    """Where the signature of this archive is."""
    return archive.with_name(f"{archive.name}{SUFFIX}")


def require() -> None:
    """UsageError if the library is not installed."""
    _library("sigstore.sign")


def describe(archive: Path) -> str:
    """The text for a signature that was not to be verified."""
    if not beside(archive).is_file():
        return "none"
    return f"{beside(archive).name} is there, but was not verified: say whose it must be with --signer and --issuer"


def sign(archive: Path) -> Path:
    """Sign the archive as the job or the person that is logged in; opens a browser if there is no login."""
    library, oidc = _library("sigstore.sign"), _library("sigstore.oidc")
    models = _library("sigstore.models")
    try:
        config = models.ClientTrustConfig.production()
        token = oidc.detect_credential()
        issuer = oidc.Issuer(config.signing_config.get_oidc_url())
        identity = oidc.IdentityToken(token) if token else issuer.identity_token()
        with library.SigningContext.from_trust_config(config).signer(identity) as signer:
            bundle = signer.sign_artifact(read_bytes(archive, MOST_SIGNED))
    except MusterError:
        raise
    except Exception as error:  # the library raises a type of its own for each step
        raise HarnessError(
            f"the archive could not be signed: {_short(error)}",
            hint="Signing needs the network and an identity: a login, or a CI job that may ask for a token.",
        ) from error
    return put(beside(archive), bundle.to_json())


def verify(archive: Path, signer: str, issuer: str) -> str:
    """What a signature of that signer says; UsageError if there is none, or it is not theirs or of another file."""
    library, policy, models = (_library(f"sigstore.{name}") for name in ("verify", "verify.policy", "models"))
    path = beside(archive)
    try:
        content = read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise UsageError(
            f"{archive} is not signed: {path} cannot be read: {error.strerror}", hint=f"Put {path.name} beside it."
        ) from error
    try:
        bundle = models.Bundle.from_json(content)
        verifier = library.Verifier.production(offline=True)
        identity = policy.Identity(identity=signer, issuer=issuer)
        verifier.verify_artifact(read_bytes(archive, MOST_SIGNED), bundle, identity)
    except MusterError:
        raise
    except Exception as error:  # of any kind: the file is not signed by this signer
        raise UsageError(
            f"{path} is no signature of {archive.name} by {signer}: {_short(error)}",
            hint="Use both files as they were published, and the identity and issuer of their publisher.",
        ) from error
    return f"by {signer}, as {issuer} says"


def _short(error: Exception) -> str:
    """The error of the library in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}"


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            "signatures need the extra `sigstore`, which is not installed",
            hint="Install it with: pip install 'gang-muster[sigstore]'",
        ) from error
