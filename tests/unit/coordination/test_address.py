"""URLs of coordination services: what is understood, what is refused, and that no password is ever shown."""

from pathlib import Path

import pytest

from foliot.coordination.address import BadCoordinatorUrl, CoordinatorClientMissing, demand_client, read_address

SECRET = "s3cret"


def read(url: str) -> object:
    return read_address(url, name="redis", form="redis://HOST", port=6379, options=("sentinel",))


def test_hosts_user_and_options_are_read(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    url = f"redis://fol%40iot@a:1,[::1]:2,c/3?prefix=billing&sentinel=main&password_file={file}"
    address = read_address(url, name="redis", form="", port=6379, options=("sentinel",))
    assert address.hosts == (("a", 1), ("::1", 2), ("c", 6379))
    assert (address.user, address.password, address.path, address.prefix) == ("fol@iot", SECRET, "/3", "billing")
    assert (address.tls, address.options) == (None, {"sentinel": "main"})
    assert SECRET not in repr(address)


def test_tls_is_asked_for_by_the_scheme_by_an_option_or_by_a_file() -> None:
    for url in ("rediss://a", "redis://a?tls=yes"):
        assert read_address(url, name="redis", form="", port=1).tls is not None
    assert read_address("redis://a?tls=no", name="redis", form="", port=1).tls is None


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (f"redis://:{SECRET}@", "a host is missing"),
        (f"redis://:{SECRET}@a:b", "a port is not a number"),
        (f"redis://:{SECRET}@[a", "it is not a URL"),
        (f"redis://:pass?{SECRET}@a", "it is not a URL"),
        (f"redis://:x@a?pass={SECRET}", "it has an unknown option; known are prefix, password_file"),
        (f"redis://:{SECRET}@a?prefix=a/b", "the prefix may have letters"),
        (f"redis://:{SECRET}@a?tls=maybe", "tls is yes or no"),
        (f"redis://:{SECRET}@a?tls=no&ca_file=/ca.pem", "tls is no, and there are files for it"),
        (f"redis://:{SECRET}@a?ca_file=/nowhere/ca.pem", "a certificate or key cannot be read"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url: str, why: str) -> None:
    with pytest.raises(BadCoordinatorUrl, match=why) as refused:
        read(url)
    assert SECRET not in str(refused.value)
    assert refused.value.hint == "redis://HOST"


def test_a_missing_client_is_named_with_what_installs_it() -> None:
    with pytest.raises(CoordinatorClientMissing) as missing:
        demand_client("redis", "no_such_module")
    assert missing.value.hint == 'pip install "foliot[redis]"'
