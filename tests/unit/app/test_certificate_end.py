"""When a certificate ends, as its file says it, also after the file was replaced."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from foliot.app.certificate_end import CertificateEnd, certificates_of, end_of
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.instants import to_instant
from tests.servers.certificates import Authority

LONG_AFTER = datetime(2063, 4, 5, 11, 0, 0, tzinfo=UTC)  # such a year is written with four digits


def test_the_end_is_the_one_that_another_reader_finds(tmp_path: Path) -> None:
    authority = Authority.new("ca")
    files = authority.sign(tmp_path, "server")
    pem = files.certificate.read_text()
    for text in (pem, Path(authority.own(tmp_path / "ca.pem")).read_text(), f"a chain:\n{pem}{pem}"):
        first = x509.load_pem_x509_certificates(text[text.index("-----BEGIN") :].encode())[0]
        assert end_of(text) == to_instant(first.not_valid_after_utc)


def test_a_year_of_four_digits_is_read(tmp_path: Path) -> None:
    files = Authority.new("ca").sign(tmp_path, "server", ends_at=LONG_AFTER)
    assert end_of(files.certificate.read_text()) == to_instant(LONG_AFTER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
    ],
)
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="certificate"):
        end_of(text)


def test_the_certificate_for_the_coordination_service_counts_beside_the_servers_own(tmp_path: Path) -> None:
    files = Authority.new("ca").sign(tmp_path, "server", ends_at=datetime.now(UTC) + timedelta(days=2))
    url = f"etcd://a:2379?ca_file=ca.pem&cert_file={files.certificate}"
    settings = ServerSettings(store_url="", node_name="s", tls=files, coordinator_url=url)
    figures = [figure for end in certificates_of(settings, SystemClock()) for figure in end.load()]
    assert figures == ["certificate_left_s", "coordinator_certificate_left_s"]
    assert certificates_of(ServerSettings(store_url="", node_name="s"), SystemClock()) == []


@pytest.mark.parametrize(
    ("host", "behind_proxy", "is_plain"),
    [("127.0.0.1", False, False), ("::1", False, False), ("0.0.0.0", False, True), ("0.0.0.0", True, False)],
)
def test_tokens_are_plain_where_other_machines_reach_a_server_without_tls(
    host: str, behind_proxy: bool, is_plain: bool
) -> None:
    settings = ServerSettings(store_url="", node_name="s", host=host, behind_proxy=behind_proxy, insecure_http=True)
    assert settings.is_plain is is_plain


def test_a_beat_says_how_long_the_certificate_lasts_and_sees_a_new_one(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    files = Authority.new("ca").sign(tmp_path, "server", ends_at=now + timedelta(days=2))
    end = CertificateEnd(files.certificate, SystemClock())
    assert 0 < end.load()["certificate_left_s"] <= 2 * 86_400
    files.certificate.unlink()
    assert end.load() == {}
    Authority.new("ca").sign(tmp_path, "server", ends_at=now + timedelta(days=50))
    assert end.load()["certificate_left_s"] > 49 * 86_400
