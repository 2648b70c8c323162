"""What each route does with ten thousand runs, while one worker joins and one leaves: against its definition."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.app.plugins import load
from foliot.domain.routing import ROUTES, FittingWorker, Move, Ready, Route, Routed
from foliot.domain.routing.least_load import HEEDED_FOR
from foliot.domain.routing.order import MARKED_MAX, mark

RUNS = 10_000
STEP = 100
NAMES = ("anne", "bert", "cleo", "dora", "emil")


def worker(name: str, **more: Any) -> FittingWorker:
    usual = FittingWorker(f"s-{name}", name, 10, slots=10)
    return usual._replace(**more)


FIVE = [worker(name) for name in NAMES]
JOINED = [*FIVE, worker("finn")]
LEFT = JOINED[1:]
PHASES = (FIVE, JOINED, LEFT)


class Story:
    """A route's answers in three phases: five workers, a sixth joined, the first left."""

    def __init__(
        self, name: str, phases: Sequence[Sequence[FittingWorker]] = PHASES, *, by_key: bool = False, keys: int = 1000
    ) -> None:
        self.route: Route = load("foliot.routes", name)
        self.by_key = by_key
        self.keys = keys
        self.moves: list[Move] = []
        self.state: str | None = None
        self.made = 0
        self.phases = [self._phase(list(workers)) for workers in phases]

    def _phase(self, workers: list[FittingWorker]) -> list[str]:
        sessions: list[str] = []
        for _ in range(RUNS // STEP):
            numbers = range(self.made, self.made + STEP)
            keys = [f"key {number % self.keys}" for number in numbers] if self.by_key else []
            ready = Ready(7, [f"s:{number}" for number in numbers], self.state, keys)
            routed = self.route(ready, workers)
            self.state = routed.state
            self.moves += routed.moves
            sessions += [str(session) for session in routed.sessions]
            self.made += STEP
        return sessions

    def shares(self) -> list[Counter[str]]:
        return [Counter(session.removeprefix("s-") for session in phase) for phase in self.phases]

    def homes(self) -> list[dict[int, set[str]]]:
        """Of each phase: where each key went."""
        found: list[dict[int, set[str]]] = []
        for phase in self.phases:
            homes: dict[int, set[str]] = {}
            for at, session in enumerate(phase):
                homes.setdefault(at % self.keys, set()).add(session)
            found.append(homes)
        return found


def evenly(names: Sequence[str], off: int) -> dict[str, tuple[int, int]]:
    fair = RUNS // len(names)
    return dict.fromkeys(names, (fair - off, fair + off))


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("round", 1),
        ("weighted_round", 2),
        ("least_frequently_used", 1),
        ("least_recently_used", 1),
        ("random", 160),
        ("least_running", 70),  # every hundred runs have ended when the next come: the first by name get one more
    ],
)
def test_routes_that_spread_give_every_worker_its_part(name: str, off: int) -> None:
    for phase, shares in zip(PHASES, Story(name).shares(), strict=True):
        bounds = evenly([one.name for one in phase], off)
        assert shares.keys() == bounds.keys()
        for who, (least, most) in bounds.items():
            assert least <= shares[who] <= most, (who, shares)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("first", ["anne", "anne", "bert"]), ("last", ["emil", "finn", "finn"]), ("failover", ["anne", "anne", "bert"])],
)
def test_routes_that_choose_one_give_it_everything(name: str, chosen: list[str]) -> None:
    assert Story(name).shares() == [{who: RUNS} for who in chosen]


def test_busyover_fills_every_slot_and_leaves_the_rest_to_anyone() -> None:
    """Of a hundred runs that come together each worker with ten slots gets ten."""
    for phase, shares in zip(PHASES, Story("busyover").shares(), strict=True):
        full = 10 * len(phase) * (RUNS // STEP)
        assert shares == {**{one.name: 10 * (RUNS // STEP) for one in phase}, "None": RUNS - full}


def test_any_leaves_every_run_to_anyone() -> None:
    assert Story("any").shares() == [{"None": RUNS}] * 3


def test_least_load_moves_once_to_who_joins_with_less_and_once_when_that_one_leaves() -> None:
    five = [worker(name, load=0.5 + 0.02 * at) for at, name in enumerate(NAMES)]
    joined = [*five, worker("finn", load=0.3)]
    story = Story("least_load", [five, joined, five[1:]])
    assert story.shares() == [{"anne": RUNS}, {"finn": RUNS}, {"bert": RUNS}]
    assert [tuple(move) for move in story.moves] == [("anne", "finn", 0.5, 0.3), ("finn", "bert", None, 0.52)], (
        "of who is gone there is no score"
    )


def test_a_key_sticks_over_ten_thousand_runs() -> None:
    five, joined, left = Story("sticky", by_key=True, keys=250).homes()
    assert all(len(home) == 1 for homes in (five, joined, left) for home in homes.values())
    assert joined == five, "nobody moves because a worker joins"
    moved = {key for key in left if left[key] != joined[key]}
    assert moved == {key for key, home in joined.items() if home == {"s-anne"}}
    assert 0 < len(moved) <= 250 / 5 * 1.5


def test_weights_are_honoured_exactly_and_smoothly() -> None:
    story = Story("weighted_round", [[worker("anne", weight=5), worker("bert"), worker("cleo")]])
    assert story.shares() == [{"anne": 7143, "bert": 1429, "cleo": 1428}]
    once = "".join(session[2] for session in story.phases[0][:7])
    assert once == "aabacaa", "never five in a row for the heavy one"


def test_a_worker_in_warning_gets_half() -> None:
    in_warning = [worker("anne", is_in_warning=True), worker("bert")]
    assert Story("weighted_round", [in_warning]).shares() == [{"bert": 6667, "anne": 3333}]
    drawn = Story("random", [in_warning]).shares()[0]
    assert 3100 < drawn["anne"] < 3560
    assert Story("failover", [in_warning]).shares() == [{"bert": RUNS}]


@pytest.mark.parametrize("name", ["round", "least_frequently_used", "least_recently_used"])
def test_a_worker_in_warning_takes_every_second_of_its_turns(name: str) -> None:
    shares = Story(name, [[worker("anne", is_in_warning=True), *FIVE[1:]], FIVE]).shares()
    part = RUNS / 9
    assert shares[0]["anne"] == pytest.approx(part, rel=0.1)
    assert all(shares[0][who] == pytest.approx(2 * part, rel=0.03) for who in NAMES[1:]), shares
    assert max(shares[1].values()) - min(shares[1].values()) <= 2, "and is not flooded when it is well"
    all_in_warning = [worker(who, is_in_warning=True) for who in NAMES]
    assert Story(name, [all_in_warning]).shares() == [dict.fromkeys(NAMES, RUNS // 5)]


@pytest.mark.parametrize("name", ["first", "last", "consistent_hash", "sticky"])
def test_a_warning_changes_nothing_where_it_would_break_what_the_route_promises(name: str) -> None:
    by_key = name in {"consistent_hash", "sticky"}
    well = Story(name, [FIVE], by_key=by_key).phases
    in_warning = [one._replace(is_in_warning=one.name in {"anne", "emil"}) for one in FIVE]
    assert Story(name, [in_warning], by_key=by_key).phases == well


def test_least_running_and_fastest_give_each_worker_runs_in_proportion_to_its_weight() -> None:
    ready = Ready(7, [f"s:{at}" for at in range(18)], None)
    heavy = [worker("anne"), worker("bert", weight=5, slots=10)]
    assert Counter(load("foliot.routes", "least_running")(ready, heavy).sessions) == {"s-anne": 3, "s-bert": 15}
    full = [one._replace(pace_us=1000, running=10) for one in heavy]
    assert Counter(load("foliot.routes", "fastest")(ready, full).sessions)["s-bert"] >= 17
    quicker = [worker("anne", pace_us=400), worker("bert", weight=3, pace_us=1000)]
    assert load("foliot.routes", "fastest")(ready._replace(fire_keys=["k"]), quicker).sessions == ["s-bert"]


def test_least_load_divides_a_load_by_the_weight() -> None:
    route: Route = load("foliot.routes", "least_load")
    pair = [worker("anne", load=0.3), worker("bert", load=0.5, weight=2)]
    routed = route(Ready(7, ["s:1"], None), pair)
    assert routed.sessions == ["s-bert"]
    moved = route(Ready(7, ["s:2"], routed.state), [pair[0]._replace(load=0.19), pair[1]])
    assert [tuple(move) for move in moved.moves] == [("bert", "anne", 0.25, 0.19)]


def test_a_change_of_workers_moves_few_keys_and_only_for_who_joined_or_left() -> None:
    five, joined, left = Story("consistent_hash", by_key=True).homes()
    assert all(len(home) == 1 for homes in (five, joined, left) for home in homes.values())
    to_the_new = [key for key in five if five[key] != joined[key]]
    assert {*map(str, (joined[key] for key in to_the_new))} == {str({"s-finn"})}
    assert 0 < len(to_the_new) <= 1000 / 6
    of_the_old = [key for key in joined if joined[key] != left[key]]
    assert all(joined[key] == {"s-anne"} for key in of_the_old)
    assert 0 < len(of_the_old) <= 1000 / 6
    shares = Story("consistent_hash", by_key=True).shares()[0]
    assert min(shares.values()) > RUNS / 5 * 0.6


def test_a_key_has_its_worker_whatever_the_fire_and_in_whatever_order_workers_are_named() -> None:
    route: Route = load("foliot.routes", "consistent_hash")
    workers = [FittingWorker(address, address, 1) for address in ("http://10.0.0.1:9999/", "http://10.0.0.2:9999/")]
    found = [route(Ready(job_id, ["s:1"], None), workers).sessions[0] for job_id in range(1, 400)]
    assert {*found} == {one.session for one in workers}
    assert found == [route(Ready(job_id, ["s:2"], None), workers[::-1]).sessions[0] for job_id in range(1, 400)]


@given(names=st.sets(st.integers(0, 40), min_size=1), tried=st.sets(st.integers(0, 40), max_size=5))
@pytest.mark.parametrize("name", ["consistent_hash", "sticky"])
def test_a_key_goes_on_to_the_worker_that_has_it_on_a_ring_without_those_that_let_it_wait(
    names: set[int], tried: set[int], name: str
) -> None:
    route: Route = load("foliot.routes", name)
    workers = [worker(str(number)) for number in names]
    ready = Ready(7, ["s:1"] * 50, None, [f"key {at}" for at in range(50)])
    round_all = route(ready._replace(tried=[str(number) for number in tried - names]), workers)
    assert round_all == route(ready, workers)


def test_a_key_sticks_while_its_worker_lives() -> None:
    route: Route = load("foliot.routes", "sticky")
    keys = [f"key {at}" for at in range(200)]
    ready = Ready(7, [f"s:{at}" for at in range(200)], None, keys)
    five = route(ready, FIVE)
    joined = route(ready._replace(state=five.state), JOINED)
    left = route(ready._replace(state=joined.state), LEFT)
    assert joined.sessions == five.sessions, "nobody moves because a worker joins"
    for before, after in zip(joined.sessions, left.sessions, strict=True):
        assert after == before or before == "s-anne"
    assert "s-anne" not in left.sessions


def test_least_running_fills_up_who_has_less() -> None:
    busy = [worker("anne", running=3), worker("bert", running=1), worker("cleo")]
    route: Route = load("foliot.routes", "least_running")
    given = route(Ready(7, [f"s:{at}" for at in range(5)], None), busy).sessions
    assert given == ["s-cleo", "s-bert", "s-cleo", "s-bert", "s-cleo"]
    hurt = [worker("anne", is_in_warning=True), worker("bert")]
    assert Counter(route(Ready(7, ["k"] * 9, None), hurt).sessions) == {"s-bert": 6, "s-anne": 3}


def test_busyover_looks_for_somebody_idle_then_for_a_free_slot_then_for_anyone() -> None:
    busy = [worker("anne", running=9, free=1), worker("bert", free=2), worker("cleo", running=10, free=0)]
    route: Route = load("foliot.routes", "busyover")
    given = route(Ready(7, [f"s:{at}" for at in range(4)], None), busy).sessions
    assert given == ["s-bert", "s-anne", "s-bert", None]


def test_least_load_moves_only_when_another_has_clearly_less_and_tells_both_scores() -> None:
    route: Route = load("foliot.routes", "least_load")
    ready = Ready(7, ["s:1"], None)
    anne, bert = worker("anne", load=0.5), worker("bert", load=0.6)
    routed = route(ready, [anne, bert])
    assert (routed.sessions, routed.moves) == (["s-anne"], [])
    stays = route(ready._replace(state=routed.state), [anne, bert._replace(load=0.4)])
    assert (stays.sessions, stays.moves) == (["s-anne"], []), "0.4 is not under 0.8 of 0.5"
    moved = route(ready._replace(state=stays.state), [anne, bert._replace(load=0.39)])
    assert moved.sessions == ["s-bert"]
    assert [tuple(move) for move in moved.moves] == [("anne", "bert", 0.5, 0.39)]
    silent = [worker("anne", running=5), worker("bert", running=1)]
    assert route(ready, silent).sessions == ["s-bert"], "who says nothing of its machine is judged by its slots"


def test_least_load_does_not_flap() -> None:
    """Two machines whose loads swing against each other by a tenth: the job stays where it is."""
    route: Route = load("foliot.routes", "least_load")
    state: str | None = None
    moves = 0
    for at in range(RUNS):
        swing = 0.05 if at % 2 else -0.05
        pair = [worker("anne", load=0.5 + swing), worker("bert", load=0.5 - swing)]
        routed = route(Ready(7, [f"s:{at}"], state), pair)
        state = routed.state
        moves += len(routed.moves)
    assert moves == 0


def test_a_job_that_makes_the_load_itself_is_not_sent_to_and_fro() -> None:
    """Wherever it is there is 0.7 more to do. Only once in a while it is looked whether that is still so."""
    route: Route = load("foliot.routes", "least_load")
    state: str | None = None
    on, moves = "anne", 0
    for at in range(HEEDED_FOR * 5):
        three = [worker(name, load=(0.9 if on == name else 0.2)) for name in ("anne", "bert", "cleo")]
        routed = route(Ready(7, [f"s:{at}"], state or json.dumps({"least_load": {"on": mark("s-anne")}})), three)
        state, on = routed.state, str(routed.sessions[0]).removeprefix("s-")
        moves += len(routed.moves)
        assert moves <= 1 + at // HEEDED_FOR
    busy = [worker("anne", load=0.2), worker("bert", load=1.0), worker("cleo", load=0.0)]
    assert route(Ready(7, ["s:x"], state), busy).sessions == ["s-cleo"], "clearly less, with what the job adds"


def test_a_load_that_others_make_keeps_no_job_where_it_is() -> None:
    """It looks like its own for a while, as if it came along."""
    route: Route = load("foliot.routes", "least_load")
    before = [worker("anne", load=0.9), worker("bert", load=0.0)]
    state = route(Ready(7, ["s:0"], json.dumps({"least_load": {"on": mark("s-anne")}})), before).state
    after = [worker("anne", load=0.0), worker("bert", load=1.0)]
    on: list[str | None] = []
    for at in range(HEEDED_FOR + 1):
        routed = route(Ready(7, [f"s:{at}"], state), after)
        state = routed.state
        on += routed.sessions
    assert on == ["s-bert"] * HEEDED_FOR + ["s-anne"]


def test_round_goes_on_after_who_came_last_whoever_joined_or_left() -> None:
    route: Route = load("foliot.routes", "round")
    after_cleo = json.dumps({"round": {"name": "cleo", "session": "s-cleo"}})
    assert route(Ready(7, ["4"], after_cleo), [*FIVE, worker("cora")]).sessions == ["s-cora"]
    assert route(Ready(7, ["4"], after_cleo), [one for one in FIVE if one.name not in {"cleo", "dora"}]).sessions == [
        "s-emil"
    ]
    stories = pairwise(Story("round", [FIVE]).phases[0])
    assert all(before != after for before, after in stories)


@pytest.mark.parametrize("name", ["round", "weighted_round", "least_frequently_used", "least_recently_used"])
def test_jobs_that_were_made_together_do_not_all_begin_with_the_same_worker(name: str) -> None:
    route: Route = load("foliot.routes", name)
    states: dict[int, str | None] = dict.fromkeys(range(1000))
    for fire in ("1", "2", "3"):
        shares: Counter[str | None] = Counter()
        for job_id, state in states.items():
            routed = route(Ready(job_id, [fire], state), FIVE)
            states[job_id] = routed.state
            shares.update(routed.sessions)
        assert all(shares[f"s-{who}"] == pytest.approx(200, abs=60) for who in NAMES), shares


def test_who_joins_is_not_flooded_to_catch_up() -> None:
    shares = Story("least_frequently_used").shares()[1]
    assert shares["finn"] <= RUNS // 6 + 1


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("state", ["", "5", "[]", "{}", '{"round":7}', '{"round":{"name":3}}', "kept"])
def test_what_another_route_kept_is_no_obstacle(name: str, state: str) -> None:
    route: Route = load("foliot.routes", name)
    routed = route(Ready(7, ["s:1", "s:2"], state), FIVE)
    assert len(routed.sessions) == 2


workers = st.lists(
    st.builds(
        lambda name, free, running, weight, hurt, load: FittingWorker(
            f"s-{name}", str(name), free, slots=free, running=running, weight=weight, is_in_warning=hurt, load=load
        ),
        st.integers(0, 400),
        st.integers(0, 20),
        st.integers(0, 50),
        st.integers(0, 100),
        st.booleans(),
        st.none() | st.floats(0, 1),
    ),
    unique_by=lambda one: one.session,
    max_size=300,
)


@given(workers, st.integers(1, 30), st.sampled_from(sorted(ROUTES)))
def test_a_route_never_names_a_stranger_and_keeps_little(found: list[FittingWorker], runs: int, name: str) -> None:
    route: Route = load("foliot.routes", name)
    ready = Ready(7, [f"s:{at}" for at in range(runs)], None, [f"k{at}" for at in range(runs)])
    routed = route(ready, found)
    assert {*routed.sessions} <= {None, *(one.session for one in found)}
    again: Routed = route(ready._replace(state=routed.state), found)
    assert len(again.state or "") < MARKED_MAX * 30
    if again.state:
        json.loads(again.state)
    if name not in {"any", "busyover"} and found:
        assert None not in routed.sessions
