"""Placement: which workers the wishes of a job leave to its route, as a table of cases and over many runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.definition import from_document, to_document
from foliot.domain.errors import InvalidInput
from foliot.domain.job import lane_of
from foliot.domain.planner import Planner
from foliot.domain.routing import ROUTES, FittingWorker, Ready, Routed
from foliot.domain.routing.placement import placed
from foliot.domain.routing.wishes import Preference, Wishes
from tests.conformance.routing import OwnRoutes

ASK = Planner(routes=OwnRoutes()).route


def worker(name: str, free: int = 4, **labels: str) -> FittingWorker:
    return FittingWorker(f"s-{name}", name, free, slots=4, running=4 - free, labels=labels)


def wishes(prefer: Mapping[str, Any] | None = None, avoid: Mapping[str, str] | None = None, spread: str = "") -> Wishes:
    weights = {
        label: wish if isinstance(wish, Preference) else Preference(wish) for label, wish in (prefer or {}).items()
    }
    return Wishes(prefer=weights, avoid=avoid or {}, spread=spread or None)


def names(
    wanted: Wishes,
    workers: Sequence[FittingWorker],
    runs: int,
    *,
    route: str = "any",
    own: Mapping[str, int] | None = None,
    state: str | None = None,
) -> list[str | None]:
    ready = Ready(7, [f"s:{at}" for at in range(runs)], state)
    routed = placed(wanted, route, ready, workers, ASK, {f"s-{name}": count for name, count in (own or {}).items()})
    return [None if session is None else session.removeprefix("s-") for session in routed.sessions]


SSD = {"disk": "ssd"}
SPOT = {"spot": "yes"}
ANNE, BERT, CLEO = worker("anne", disk="ssd"), worker("bert"), worker("cleo", disk="ssd", spot="yes")
EAST, WEST, NORTH = worker("east", zone="e"), worker("west", zone="w"), worker("north", zone="n")
FULL = ANNE._replace(free=0, running=4)

CASES: dict[str, tuple[Wishes, list[FittingWorker], str, list[str | None]]] = {
    "who is preferred gets it": (wishes(SSD), [BERT, ANNE], "any", ["anne", "anne"]),
    "a full one is passed over": (wishes(SSD), [BERT, FULL], "any", ["bert", "bert"]),
    "it is filled up, then the next": (wishes(SSD), [BERT, ANNE._replace(free=1, running=3)], "any", ["anne", "bert"]),
    "nobody has room: whoever is free first": (wishes(SSD), [FULL], "any", [None, None]),
    "nobody is preferred": (wishes(SSD), [BERT], "any", ["bert", "bert"]),
    "the heavier wish": (
        wishes({"disk": Preference("ssd", 2), "zone": Preference("e", 5)}),
        [ANNE, EAST],
        "any",
        ["east", "east"],
    ),
    "weights add up": (
        wishes({"disk": Preference("ssd", 3), "zone": Preference("e", 4), "gpu": Preference("a", 2)}),
        [EAST, worker("gus", disk="ssd", gpu="a")],
        "any",
        ["gus", "gus"],
    ),
    "who is avoided gets nothing": (wishes(avoid=SPOT), [BERT, CLEO], "any", ["bert", "bert"]),
    "even when the others are full": (wishes(avoid=SPOT), [FULL, CLEO], "any", ["anne", "anne"]),
    "unless there is no other": (wishes(avoid=SPOT), [CLEO], "any", ["cleo", "cleo"]),
    "the fewest labels to be avoided": (
        wishes(avoid={"spot": "yes", "old": "yes"}),
        [worker("dora", spot="yes", old="yes"), CLEO],
        "any",
        ["cleo", "cleo"],
    ),
    "avoided before preferred": (wishes(SSD, SPOT), [BERT, CLEO], "any", ["bert", "bert"]),
    "spread over the values": (wishes(spread="zone"), [EAST, WEST], "any", ["east", "west"]),
    "a value without room is passed over": (
        wishes(spread="zone"),
        [EAST, WEST._replace(free=0, running=4)],
        "any",
        ["east", "east"],
    ),
    "who lacks the label is a value of its own": (wishes(spread="zone"), [EAST, BERT], "any", ["bert", "east"]),
    "spread before preferred": (
        wishes(SSD, spread="zone"),
        [EAST, worker("eve", zone="e", disk="ssd"), WEST],
        "any",
        ["eve", "west"],
    ),
    "the route chooses among the preferred": (
        wishes(SSD),
        [BERT, ANNE, worker("dora", disk="ssd"), worker("emil", disk="ssd")],
        "last",
        ["emil", "emil"],
    ),
    "the route decides alone when nobody has room": (
        wishes(SSD),
        [FULL, BERT._replace(free=0)],
        "last",
        ["bert", "bert"],
    ),
    "but without those to be avoided": (wishes(avoid=SPOT), [FULL, CLEO], "last", ["anne", "anne"]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_case(case: tuple[Wishes, list[FittingWorker], str, list[str | None]]) -> None:
    wanted, workers, route, expected = case
    assert names(wanted, workers, 2, route=route) == expected
    assert names(wanted, workers[::-1], 2, route=route) == expected, "the order of the workers says nothing"


def test_the_least_full_worker_comes_first_by_slots_weight_and_health() -> None:
    wide = FittingWorker("s-wide", "wide", 8, slots=8, labels=SSD)
    heavy = worker("heavy", disk="ssd")._replace(weight=2)
    hurt = worker("hurt", disk="ssd")._replace(is_in_warning=True)
    assert Counter(names(wishes(SSD), [wide, worker("thin", disk="ssd")], 12)) == {"wide": 8, "thin": 4}
    assert Counter(names(wishes(SSD), [heavy, worker("light", disk="ssd")], 3)) == {"heavy": 2, "light": 1}
    assert Counter(names(wishes(SSD), [hurt, worker("well", disk="ssd")], 3)) == {"well": 2, "hurt": 1}
    assert Counter(names(wishes(SSD), [heavy, worker("light", disk="ssd")], 8)) == {"heavy": 4, "light": 4}


def test_a_zone_with_fewer_runs_of_the_job_comes_first() -> None:
    zones = [EAST, WEST, NORTH]
    assert names(wishes(spread="zone"), zones, 4, own={"east": 2, "west": 1}) == ["north", "west", "north", "east"]


def test_one_run_at_a_time_still_goes_round_the_values() -> None:
    """Nothing is running when the next one comes: the value that was used the longest ago is next."""
    zones = [EAST, WEST, NORTH]
    state: str | None = None
    seen: list[str] = []
    for at in range(9):
        routed = placed(wishes(spread="zone"), "any", Ready(7, [f"s:{at}"], state), zones, ASK, {})
        state = routed.state
        seen += [str(session).removeprefix("s-") for session in routed.sessions]
    assert seen == ["east", "north", "west"] * 3


def test_turns_within_a_value_go_on() -> None:
    """`round` has its turns in each zone: else the first worker of a zone would get everything."""
    zones = [worker(f"{zone}{at}", zone=zone) for zone in "ab" for at in (1, 2)]
    state: str | None = None
    seen: list[str] = []
    for at in range(8):
        routed = placed(wishes(spread="zone"), "round", Ready(7, [f"s:{at}"], state), zones, ASK, {})
        state = routed.state
        seen += [str(session).removeprefix("s-") for session in routed.sessions]
    assert seen == ["a1", "b1", "a2", "b2"] * 2


def test_ten_thousand_runs_are_spread_evenly_while_a_zone_comes_and_one_goes() -> None:
    """Each run ends before the next hundred: the zones take turns, whatever number of workers each has."""
    two = [worker("a1", zone="a"), worker("a2", zone="a"), worker("a3", zone="a"), worker("b1", zone="b")]
    roomy = [one._replace(free=1000, slots=1000) for one in two]
    three = [*roomy, worker("c1", zone="c")._replace(free=1000, slots=1000)]
    state: str | None = None
    for workers, shares in ((roomy, {"a": 5000, "b": 5000}), (three, {"a": 3334, "b": 3333, "c": 3333})):
        seen: Counter[str] = Counter()
        for at in range(100):
            ready = Ready(7, [f"s:{at}:{run}" for run in range(100)], state)
            routed = placed(wishes(spread="zone"), "any", ready, workers, ASK, {})
            state = routed.state
            seen.update(str(session)[2] for session in routed.sessions)
        assert all(abs(seen[zone] - share) <= 1 for zone, share in shares.items()), seen


workers_ = st.lists(
    st.builds(
        lambda name, free, busy, zone, disk: FittingWorker(
            f"s-{name}", str(name), free, slots=free + busy, running=busy, labels={"zone": zone, "disk": disk}
        ),
        st.integers(0, 300),
        st.integers(0, 6),
        st.integers(0, 9),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["ssd", "hdd"]),
    ),
    unique_by=lambda one: one.session,
    min_size=1,
    max_size=40,
)


@given(
    workers_,
    st.integers(0, 60),
    st.sampled_from(sorted(ROUTES)),
    st.sampled_from([None, "zone"]),
    st.sampled_from([None, "", "[]", '{"spread":"zone","used":3,"states":[]}', '{"spread":"zone","used":[4]}']),
)
def test_every_run_gets_a_candidate_or_anyone_and_who_is_named_has_room_first(
    found: list[FittingWorker], runs: int, route: str, spread: str | None, state: str | None
) -> None:
    wanted = wishes(SSD, {"zone": "c"} if spread is None else {}, spread or "")
    ready = Ready(7, [f"s:{at}" for at in range(runs)], state, [f"k{at}" for at in range(runs)])
    routed: Routed = placed(wanted, route, ready, found, ASK, {})
    assert len(routed.sessions) == runs
    assert {*routed.sessions} <= {None, *(one.session for one in found)}
    assert len(routed.state or "") < 100_000
    if route == "any" and spread is None and any(one.labels["zone"] != "c" for one in found):
        assert not {one.session for one in found if one.labels["zone"] == "c"} & {*routed.sessions}
    if route == "any" and spread is not None:
        given_ = Counter(session for session in routed.sessions if session is not None)
        assert all(given_[one.session] <= one.free for one in found)
        assert given_.total() == min(runs, sum(one.free for one in found))


# ---------------------------------------------------------------------------------------------------- in job files


def document(**place: Any) -> dict[str, Any]:
    return {"run": {"python": "jobs:tick"}, "place": place}


def test_wishes_are_read_and_written_as_people_write_them() -> None:
    place = {"prefer": {"disk": "ssd", "zone": {"value": "e", "weight": 5}}, "avoid": SPOT, "spread": "rack"}
    definition = from_document(document(**place))
    assert definition.prefer == {"disk": Preference("ssd"), "zone": Preference("e", 5)}
    assert to_document(definition)["place"] == place
    in_full = from_document(document(prefer={"disk": {"value": "ssd", "weight": 1}}))
    assert to_document(in_full)["place"] == {"prefer": SSD}


@pytest.mark.parametrize("place", [{"prefer": SSD}, {"avoid": SPOT}, {"spread": "zone"}, {"route": "round"}])
def test_a_lane_is_routed_when_there_is_something_to_decide(place: dict[str, Any]) -> None:
    assert lane_of(7, from_document(document(**place)), namespace="default").routed


def test_without_a_wish_nothing_is_decided() -> None:
    plain = from_document(document(require={"zone": "e"}, prefer={}, avoid={}))
    assert not lane_of(7, plain, namespace="default").routed
    assert to_document(plain)["place"] == {"require": {"zone": "e"}}


@pytest.mark.parametrize(
    ("place", "path", "trouble"),
    [
        ({"prefer": "ssd"}, "place.prefer", "is not a mapping"),
        ({"prefer": {"disk": {"weight": 3}}}, "place.prefer.disk.value", "it is missing"),
        ({"prefer": {"disk": {"value": "ssd", "weight": 0}}}, "place.prefer.disk.weight", "from 1 to 100"),
        ({"prefer": {"disk": {"value": "ssd", "weight": "3"}}}, "place.prefer.disk.weight", "is not a whole number"),
        ({"prefer": {"disk": {"worth": "ssd"}}}, "place.prefer.disk.worth", "is not a field of a job"),
        ({"prefer": {"a b": "ssd"}}, "place.prefer", "is not allowed"),
        ({"avoid": {"spot": True}}, "place.avoid.spot", "is not text"),
        ({"spread": ""}, "place.spread", "it is empty"),
        ({"require": SSD, "prefer": {"disk": "hdd"}}, "place.prefer.disk", "place.require settles this label"),
        ({"require": SSD, "avoid": {"disk": "hdd"}}, "place.avoid.disk", "place.require settles this label"),
        ({"prefer": SSD, "avoid": SSD}, "place.prefer.disk", "place.avoid names the same value"),
        ({"require": SSD, "spread": "disk"}, "place.spread", "place.require names one value"),
        ({"prefer": SSD, "spread": "disk"}, "place.spread", "place.prefer names one value"),
    ],
)
def test_what_cannot_be_meant_is_refused(place: dict[str, Any], path: str, trouble: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_document(document(**place))
    assert path in str(refused.value)
    assert trouble in str(refused.value)
