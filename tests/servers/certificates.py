"""Certificates for the servers of tests, signed by an authority of the test's own."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from foliot.app.settings import TlsFiles


@dataclass(frozen=True)
class Authority:
    """Who signs certificates in a test."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def new(cls, name: str) -> "Authority":
        return cls(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), ec.generate_private_key(ec.SECP256R1()))

    def own(self, file: Path) -> str:
        certificate = self._certificate(self.name, self.key, is_authority=True)
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return str(file)

    def sign(self, folder: Path, name: str, *, host: str = "127.0.0.1", ends_at: datetime | None = None) -> TlsFiles:
        """A certificate for a host and its key, as two files."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._certificate(subject, key, is_authority=False, host=host, ends_at=ends_at)
        files = TlsFiles(certificate=folder / "server.pem", key=folder / "server.key")
        files.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return files

    def _certificate(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *,
        is_authority: bool,
        host: str = "127.0.0.1",
        ends_at: datetime | None = None,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder(self.name, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(ends_at or now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([_named(host)]), critical=False)
        return builder.sign(self.key, hashes.SHA256())


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
