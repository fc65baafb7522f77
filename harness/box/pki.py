"""A certificate authority of the box's own.

Every process proves who it is with a client certificate under this authority and serves TLS with one: no tokens on
command lines, no anonymous access, no TLS check switched off. Keys are P-256, which take less than a millisecond to
make where RSA takes hundreds.
"""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LOOPBACK = "127.0.0.1"
LIFETIME = datetime.timedelta(days=365)  # longer than any box is kept, shorter than forever
BACKDATE = datetime.timedelta(hours=1)  # tolerates a clock that is set back while the box runs


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key, as PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Issues certificates for one box."""

    def __init__(
        self, certificate: bytes, key: CertificateIssuerPrivateKeyTypes, addresses: tuple[str, ...] = (LOOPBACK,)
    ) -> None:
        """An authority that is there already; `addresses` are those that its certificates may be served from."""
        self.certificate = certificate
        self._name = x509.load_pem_x509_certificate(certificate).subject
        self._key = key
        self._addresses = addresses

    @classmethod
    def create(cls, common_name: str = "muster-box", *, with_rsa: bool = False) -> Authority:
        """A new authority with a key of its own; with an RSA key for programs that can read no other."""
        key = rsa.generate_private_key(65537, 2048) if with_rsa else ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        certificate = (
            _builder(name, name, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(common_name)]), critical=False)
            .sign(key, hashes.SHA256())
        )
        return cls(certificate.public_bytes(serialization.Encoding.PEM), key)

    @classmethod
    def restore(cls, certificate: bytes, key: bytes) -> Authority:
        """The authority of a box that another process has started, from its certificate and its key as PEM."""
        loaded = serialization.load_pem_private_key(key, None)
        if not isinstance(loaded, ec.EllipticCurvePrivateKey):
            raise ValueError("the key of a box's authority is an elliptic curve key")
        return cls(certificate, loaded)

    @property
    def key(self) -> bytes:
        """Its private key as PEM: only for the process that takes over what it signs."""
        return _pem(self._key)

    def issue(self, user: str, groups: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> KeyPair:
        """A certificate that is both a client's (user, groups) and a server's on 127.0.0.1 and the given names."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name(
            [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
            + [x509.NameAttribute(NameOID.COMMON_NAME, user)]
        )
        alternatives: list[x509.GeneralName] = [
            x509.IPAddress(ipaddress.ip_address(address)) for address in self._addresses
        ]
        alternatives += [x509.DNSName(name) for name in ("localhost", *names)]
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        certificate = (
            _builder(subject, self._name, key)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), _pem(key))


def signing_key() -> bytes:
    """A private key for service account tokens, as PEM."""
    return _pem(ec.generate_private_key(ec.SECP256R1()))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(now + LIFETIME)
    )


def _pem(key: CertificateIssuerPrivateKeyTypes) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
