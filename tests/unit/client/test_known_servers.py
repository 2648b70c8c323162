"""Which servers a worker speaks to: the token goes only where the user's own words cover it."""

from collections.abc import Iterable

import pytest

from foliot.client.errors import ServerAway
from foliot.client.known_servers import LEARNED_MAX, KnownServers, ServerChoice
from foliot.client.worker_http import HttpWorkerLink
from foliot.ports.worker_link import Beat, LeasePoll
from tests.unit.client.answering import LOST, Answer, Answering


def learned(named: list[str], told: list[str], *, own_authority: bool = False) -> list[str]:
    known = KnownServers(named, has_own_authority=own_authority)
    known.learn(told)
    assert known.urls[: len(named)] == tuple(named), "the named ones stay, and come first"
    return list(known.urls[len(named) :])


@pytest.mark.parametrize(
    ("named", "told", "own_authority", "is_admitted"),
    [
        ("https://a.cn.example.org:7171", "https://b.cn.example.org:7171", False, False),
        ("https://foliot.co.uk", "https://evil.co.uk", False, False),  # neighbours are not of one owner
        ("https://mine.herokuapp.com", "https://evil.herokuapp.com", False, False),
        ("https://mine.herokuapp.com", "https://evil.herokuapp.com", True, True),  # TLS fails there
        ("https://a.cn.example.org", "https://a.cn.example.org:7272", False, True),
        ("https://a.cn.example.org", "https://b.example.org", False, False),
        ("https://a.example.org", "https://evil.org", False, False),
        ("https://a", "https://b", False, False),
        ("https://10.0.0.5", "https://10.0.0.6", False, False),
        (
            "https://10.0.0.5",
            "https://10.0.0.6",
            True,
            True,
        ),  # the authority that the user named signs it, or TLS fails
        ("https://a.example.org", "https://b.elsewhere.net:7171", True, True),
        ("https://a.example.org", "http://a.example.org", True, False),  # never without TLS
        ("https://a.example.org", "http://127.0.0.1:7171", True, False),
        ("https://a.example.org", "https://127.0.0.1:7171", True, False),
        ("https://localhost:7171", "https://127.0.0.1:7172", True, True),
        ("https://a.example.org", "https://169.254.169.254", True, False),
        ("https://a.example.org", "https://[fe80::1]:7171", True, False),
        ("https://a.example.org", "https://0.0.0.0:7171", True, False),
        ("http://127.0.0.1:7171", "http://127.0.0.1:7172", False, True),
        ("http://127.0.0.1:7171", "http://b.example.org:7171", False, False),
        ("http://a.lan.example:7171", "http://a.lan.example:7172", False, True),  # the user allowed plain HTTP there
        ("http://a.lan.example:7171", "http://b.lan.example:7171", False, False),
        ("http://a.lan.example:7171", "http://127.0.0.1:7171", False, False),
        ("https://a.example.org", "https://user:word@b.example.org", True, False),
        ("https://a.example.org", "https://b.example.org/path", True, False),
        ("https://a.example.org", "https://b.example.org:99999999", True, False),
        ("https://a.example.org", "ftp://b.example.org", True, False),
        ("https://a.example.org", "", True, False),
    ],
)
def test_an_address_of_a_beat_counts_where_the_user_covers_it(
    named: str, told: str, own_authority: bool, is_admitted: bool
) -> None:
    assert learned([named], [told], own_authority=own_authority) == ([told] if is_admitted else [])


def test_a_named_one_with_tls_keeps_all_others_to_tls() -> None:
    assert learned(["https://a.example.org", "http://127.0.0.1:1"], ["http://127.0.0.1:2"]) == []


def test_the_newest_word_counts_and_is_bounded() -> None:
    known = KnownServers(["http://127.0.0.1:1"], has_own_authority=False)
    known.learn(f"http://127.0.0.1:{port}" for port in range(2, 200))
    assert len(known.urls) == 1 + LEARNED_MAX
    known.learn(["http://127.0.0.1:1/", "http://127.0.0.1:7", "http://127.0.0.1:7"])
    assert known.urls == ("http://127.0.0.1:1", "http://127.0.0.1:7")


def asked(choice: ServerChoice, times: int) -> list[str]:
    """Who is asked when nobody answers."""
    urls = []
    for _ in range(times):
        urls.append(choice.url.rpartition("/")[2])
        choice.leave(choice.url)
    return urls


def choosing(*named: str, learned: Iterable[str] = ()) -> ServerChoice:
    known = KnownServers([f"https://{name}" for name in named], has_own_authority=True)
    known.learn(f"https://{name}" for name in learned)
    return ServerChoice(known)


def test_learned_servers_that_nobody_reaches_are_not_all_asked_before_the_named_one() -> None:
    first, unreached, again, other, third = asked(choosing("seed", learned=["x", "y", "z"]), 5)
    assert (first, again, third) == ("seed", "seed", "seed")
    assert unreached != other, "the next of the learned ones, then"


def test_named_servers_are_asked_before_learned_ones_and_the_last_that_answered_again_first() -> None:
    choice = choosing("a", "b", learned=["x"])
    choice.leave("https://a")
    choice.answered("https://b")
    assert asked(choice, 5) == ["b", "a", "x", "b", "a"]


def test_a_learned_server_that_answered_once_is_as_good_as_a_named_one() -> None:
    choice = choosing("a", learned=["x", "y"])
    for name in ("x", "y"):
        choice.answered(f"https://{name}")
    assert asked(choice, 3) == ["a", "y", "x"]


def test_a_call_that_fails_at_a_server_left_before_moves_nobody() -> None:
    choice = choosing("a", "b")
    choice.leave("https://a")
    choice.leave("https://a")
    assert choice.url == "https://b"


def test_a_server_that_is_not_known_any_more_is_left_for_a_known_one() -> None:
    known = KnownServers(["https://a"], has_own_authority=True)
    known.learn(["https://x"])
    choice = ServerChoice(known)
    choice.leave("https://a")
    assert choice.url == "https://x"
    known.learn([])
    choice.leave("https://x")
    assert choice.url == "https://a"


def test_workers_of_a_dead_server_do_not_all_go_to_the_same_next_one() -> None:
    def second(session: str) -> str:
        known = KnownServers(["https://a"], has_own_authority=True)
        known.learn([f"https://s{number}" for number in range(4)], session=session)
        return known.urls[1]

    assert len({second(f"session {number}") for number in range(40)}) == 4
    assert second("one") == second("one"), "and each has one order"


async def test_a_worker_goes_on_at_a_server_that_only_a_beat_named(server: Answering, other_server: Answering) -> None:
    link = HttpWorkerLink([server.url], "token")
    try:
        server.say(Answer(body={"alive": True, "servers": [server.url, other_server.url, "http://192.0.2.1:7171"]}))
        assert link.beat(Beat(session="s", beat_no=1, settled=0, held=())).alive
        assert link.servers == (server.url, other_server.url)
        server.say(LOST)
        other_server.say(Answer(body={"request_no": 1}))
        poll = LeasePoll(session="s", request_no=1, free=1, settled=0, wait_us=0)
        with pytest.raises(Exception, match=r"127\.0\.0\.1"):
            await link.lease(poll)
        assert (await link.lease(poll)).request_no == 1
        assert link.server == other_server.url
    finally:
        await link.close()


def test_a_beat_whose_connection_was_cut_soon_asks_the_named_server_again(server: Answering) -> None:
    link = HttpWorkerLink([server.url], "token")
    nobody = ["http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"]
    server.say(Answer(body={"alive": True, "servers": nobody}), LOST, Answer(body={"alive": True}))

    def beat(number: int) -> bool:
        return link.beat(Beat(session="s", beat_no=number, settled=0, held=())).alive

    assert beat(1)
    for number in (2, 3):  # the connection is cut, and then a learned one is out of reach
        with pytest.raises(ServerAway):
            beat(number)
    assert beat(4)
