"""URLs of stores: what is wrong in one is told in a sentence, before anything is tried."""

import pytest

from foliot.store.sql.kernel.connect import BadStoreUrl, open_database
from foliot.store.sql.kernel.dialects.postgresql_pools import read_postgresql_url
from tests.sql.world import CHANCE, CLOCK


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql://db:port/x", "its hosts cannot be read"),
        ("postgresql://[::1/x", "its hosts cannot be read"),
        ("mariadb://[", "its hosts cannot be read"),
        ("mariadb://db:99999/x", "99999 is not a port"),
        ("postgresql://db..example/x", '"db..example" is not the name of a host'),
        ("postgresql://db/x?connect_timeout=soon", 'connect_timeout "soon" is not a number of seconds'),
        ("postgresql://db/x?sslmode=maybe", 'sslmode "maybe" is not one of disable, allow'),
        ("mariadb://db/x?sslmode=maybe", 'sslmode "maybe" is not one of disable, require'),
        ("postgresql://db/x?options=-csearch_path%3Da", '"options" is not an option; known are connect_timeout'),
        ("mariadb://db/x?schema=foliot", '"schema" is not an option'),
        ("postgresql://db/x?schema=", "a schema has a name of 1 to 63 bytes"),
        ("postgresql://db/x?schema=" + "a" * 64, "a schema has a name of 1 to 63 bytes"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_url_is_told(url: str, why: str) -> None:
    with pytest.raises(BadStoreUrl) as refused:
        open_database(url, clock=CLOCK, chance=CHANCE)
    assert why in refused.value.sentence


def test_a_url_is_taken_apart() -> None:
    found = read_postgresql_url("postgres://app:p%40ss@a,b:5433,[::1]:5434/jobs?schema=Foliot&connect_timeout=0.5")
    assert found.hosts == [("a", 5432), ("b", 5433), ("::1", 5434)]
    assert (found.user, found.password, found.database) == ("app", "p@ss", "jobs")
    assert (found.options["schema"], found.connect_s(3)) == ("Foliot", 0.5)
