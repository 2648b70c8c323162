"""Planning, for random schedules, gaps, policies and changes: every instant decided once, none invented, none early."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from foliot.domain.draft import RUNS_PER_PLAN
from foliot.domain.fire import CursorState, DueJob, Plan, SkipReason
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.job import LoadedJob
from foliot.domain.plans import first_cursor, plan, plan_delete, plan_edit, plan_pause, plan_resume
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import MISFIRE_AFTER, Misfire, MisfireMode
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import Calendar, Schedule, schedule_from_document
from foliot.domain.schedule.calendars import MONDAY_TO_FRIDAY, Blackout, ClosedHours
from tests.unit.planning.situations import accounted, at, carried_on, due, instants, job

NOON = at("2026-03-27 12:00")  # a Friday; in the night to Sunday Europe's clocks go forward
INSTANTS_MAX = 3000

calendars = {
    "weekdays": Calendar(name="weekdays", weekdays=MONDAY_TO_FRIDAY),
    "lunch": Calendar(name="lunch", closed_hours=(ClosedHours(start=12 * 3600, end=13 * 3600, why="lunch"),)),
    "patchy": Calendar(
        name="patchy",
        weekdays=0b1010101,
        blackouts=(
            Blackout(start_at=NOON + 10 * MINUTE, end_at=NOON + 20 * MINUTE, why="release"),
            Blackout(start_at=NOON + DAY, end_at=NOON + 26 * HOUR, why="move"),
        ),
    ),
    "never": Calendar(name="never", only=frozenset()),
}


@st.composite
def entries(draw: st.DrawFn) -> dict[str, object]:
    entry: dict[str, object] = draw(
        st.sampled_from(
            [
                {"every": "1s"}, {"every": "10s"}, {"every": "7m", "phase": "3m"}, {"every": "1h"},
                {"cron": "* * * * *"}, {"cron": "*/5 * * * *"}, {"cron": "30 2 * * *", "tz": "Europe/Berlin"},
                {"cron": "*/20 * * * * *"}, {"cron": "0 9 * * MON"}, {"cron": "15 */2 * * *", "tz": "Asia/Shanghai"},
                {"at": ["2026-03-27T12:00:30Z", "2026-03-27T13:00:00Z", "2026-03-29T00:00:00Z"]},
                {"daily": ["02:15", "12:30"], "tz": "Europe/Berlin"},
            ]
        )
    )  # fmt: skip
    extra: dict[str, object] = {}
    if draw(st.booleans()):
        extra["calendar"] = draw(st.sampled_from(sorted(calendars)))
    if draw(st.integers(0, 3)) == 0:
        extra["jitter"] = draw(st.sampled_from(["5s", "90s", "2h"]))
    if draw(st.integers(0, 4)) == 0:
        extra["end"] = "2026-03-28T10:00:00Z"
    if draw(st.integers(0, 4)) == 0:
        extra["start"] = "2026-03-27T12:15:00Z"
    return entry | extra


schedules = st.lists(entries(), min_size=1, max_size=2).map(
    lambda written: schedule_from_document(written, calendars=calendars)
)
policies = st.one_of(
    st.just(misfire.skip),
    st.sampled_from(["1m", "10m", "1h", "7d"]).map(misfire.latest),
    st.builds(misfire.all, st.sampled_from(["1m", "10m", "1h", "7d"]), st.sampled_from([1, 3, 50, 1000])),
)
gaps = st.one_of(
    st.integers(0, 90 * SECOND), st.integers(0, 2 * HOUR), st.integers(0, 3 * DAY), st.just(MINUTE), st.just(HOUR)
)
situations = st.fixed_dictionaries(
    {},
    optional={"open": st.integers(0, 3), "waiting": st.sampled_from([0, 1, 999, 1000]), "catch_up": st.integers(0, 1)},
)
counts = st.none() | st.integers(1, 60)


def bounded(schedule: Schedule, start: Instant, gap: int) -> Instant:
    """`start + gap`, or sooner where more instants lie between than an oracle should list."""
    while gap > SECOND and schedule.count_between(start, start + gap) > INSTANTS_MAX:
        gap //= 4
    return start + gap


@settings(max_examples=300, deadline=None)
@given(schedules, policies, st.sampled_from(Overlap), gaps, situations, counts)
def test_a_plan_accounts_for_every_instant_it_decides(
    schedule: Schedule, policy: Misfire, overlap: Overlap, gap: int, seen: dict[str, int], count: int | None
) -> None:
    first = schedule.next_after(NOON)
    if first is None:
        return
    now = bounded(schedule, first, gap)
    decided = plan(due(job(schedule, misfire=policy, overlap=overlap), first, remaining=count, **seen), now)  # type: ignore[arg-type]

    last = decided_until(schedule, decided, now, first)
    accounted(schedule, decided, first, last)
    assert_order(decided)
    assert_lawful(schedule, decided, now, policy, overlap, seen)
    if count is not None:
        assert decided.remaining == count - len(decided.runs) >= 0
        assert (decided.remaining == 0) <= (decided.state == CursorState.DONE)


def decided_until(schedule: Schedule, decided: Plan, now: Instant, first: Instant) -> Instant:
    """The last instant a plan had to decide: up to where it was cut, used up, or up to now."""
    if decided.state == CursorState.DONE:
        ends = [run.due_at for run in decided.runs] + [skip.to_at for skip in decided.skips]
        return max(ends, default=first - 1)
    assert decided.next_due_at is not None
    if decided.next_due_at <= now and decided.next_at == now and decided.runs:
        assert len(decided.runs) == RUNS_PER_PLAN or len(decided.skips) >= 100, "cut short for no reason"
    elif decided.next_due_at <= now:
        assert schedule.wake_at("tick", decided.next_due_at) > now, "a due instant was left undecided"
    return (schedule.previous_before(decided.next_due_at) or first - 1) if decided.next_due_at > first else first - 1


def assert_order(decided: Plan) -> None:
    runs = [run.due_at for run in decided.runs]
    assert runs == sorted(set(runs))
    assert all(one.to_at < other.from_at for one, other in pairwise(decided.skips))


def assert_lawful(
    schedule: Schedule, decided: Plan, now: Instant, policy: Misfire, overlap: Overlap, seen: dict[str, int]
) -> None:
    open_runs = seen.get("open", 0)
    for n, run in enumerate(decided.runs):
        wake_at = schedule.wake_at("tick", run.due_at)
        assert run.due_at <= now, "S3: before its instant"
        assert wake_at <= now
        assert schedule.ruling(run.due_at).is_allowed
        assert run.fire_key == f"s:{run.due_at}"
        assert run.catch_up == (now - wake_at > MISFIRE_AFTER)
        assert run.parked == (overlap.is_serial and open_runs + n > 0)
        assert not run.catch_up or policy.mode is not MisfireMode.SKIP
        assert not run.catch_up or now - wake_at <= policy.within_us
    for skip in decided.skips:
        inside = list(instants(schedule, skip.from_at, skip.to_at))
        rulings = [schedule.ruling(one) for one in inside]
        match skip.reason:
            case SkipReason.CALENDAR | SkipReason.BLACKOUT:
                assert not any(ruling.is_allowed for ruling in rulings)
            case SkipReason.OVERLAP:
                assert overlap in {Overlap.SKIP, Overlap.QUEUE}
                assert all(ruling.is_allowed for ruling in rulings)
            case SkipReason.LIMIT:
                assert overlap is Overlap.QUEUE_ALL
            case SkipReason.MISFIRE:
                assert now - schedule.wake_at("tick", inside[0]) > MISFIRE_AFTER
                assert any(ruling.is_allowed for ruling in rulings)
            case _:
                raise AssertionError(skip)


@settings(max_examples=150, deadline=None)
@given(schedules, policies, st.sampled_from(Overlap), st.lists(gaps, min_size=1, max_size=4), counts)
def test_planning_again_and_again_comes_to_an_end_with_everything_decided(
    schedule: Schedule, policy: Misfire, overlap: Overlap, steps: list[int], count: int | None
) -> None:
    first = schedule.next_after(NOON)
    if first is None:
        return
    waiting = due(job(schedule, misfire=policy, overlap=overlap), first, remaining=count)
    decided: Counter[Instant] = Counter()
    now = first
    for gap in steps:
        now = bounded(schedule, now, gap)
        plans = 0
        while waiting.cursor.next_at is not None and waiting.cursor.next_at <= now:
            made = plan(waiting, now)
            decided.update(all_of(schedule, made))
            waiting = carried_on(waiting, made)
            plans += 1
            assert plans < 100, "planning does not come to an end"
    until = waiting.cursor.next_due_at
    if waiting.cursor.state == CursorState.ACTIVE:
        assert until is not None
        assert decided == Counter(instants(schedule, first, until - 1))
    else:
        assert decided == Counter(instants(schedule, first, max(decided)))
        assert count is not None or schedule.next_after(max(decided)) is None


def all_of(schedule: Schedule, made: Plan) -> list[Instant]:
    skipped = [one for skip in made.skips for one in instants(schedule, skip.from_at, skip.to_at)]
    return [*(run.due_at for run in made.runs), *skipped]


@settings(max_examples=150, deadline=None)
@given(schedules, gaps, st.lists(st.floats(0, 1), max_size=6))
def test_where_the_time_is_cut_does_not_matter_when_all_are_caught_up(
    schedule: Schedule, gap: int, cuts: list[float]
) -> None:
    first = schedule.next_after(NOON)
    if first is None:
        return
    end = bounded(schedule, first, gap)
    while schedule.count_between(first - 1, end) > 900:  # more would meet the limit
        end = first + (end - first) // 2
    loaded = job(schedule, misfire=misfire.all(within="3660d"))
    at_once = created(due(loaded, first), [end])
    in_parts = created(due(loaded, first), [*sorted(first + int((end - first) * cut) for cut in cuts), end])
    assert at_once == in_parts
    allowed = (one for one in instants(schedule, first, end) if schedule.ruling(one).is_allowed)
    assert set(at_once) == {one for one in allowed if schedule.wake_at("tick", one) <= end}


def created(waiting: DueJob, moments: list[Instant]) -> list[Instant]:
    runs: list[Instant] = []
    for now in moments:
        while waiting.cursor.next_at is not None and waiting.cursor.next_at <= now:
            made = plan(waiting, now)
            runs += [run.due_at for run in made.runs]
            waiting = carried_on(waiting, made)
    return runs


# ------------------------------------------------------------------------------------- edits, pauses, clock steps


@dataclass
class World:
    """A job whose clock moves, and what was decided of it, by version."""

    waiting: DueJob
    now: Instant
    decided: list[Counter[Instant]] = field(default_factory=lambda: [Counter()])
    begun: list[Instant] = field(default_factory=list)
    passed: list[Instant] = field(default_factory=list)  # up to here, maybe decided before the version
    high: Instant = 0

    @property
    def schedule(self) -> Schedule:
        schedule = self.waiting.job.definition.schedule
        assert schedule is not None
        return schedule

    def record(self, made: Plan, *, becomes: Plan | None = None, loaded: LoadedJob | None = None) -> None:
        assert all(run.due_at <= self.now for run in made.runs), "S3"
        assert all(skip.to_at <= self.now for skip in made.skips), "nothing of the future is left out"
        self.decided[-1].update(all_of(self.schedule, made))
        self.waiting = carried_on(self.waiting, becomes or made, job=loaded)
        self.high = max(self.high, self.now)

    def fire(self) -> None:
        for _ in range(100):
            if self.waiting.cursor.next_at is None or self.waiting.cursor.next_at > self.now:
                return
            self.record(plan(self.waiting, self.now))
        raise AssertionError("planning does not come to an end")


changes = st.one_of(
    st.tuples(st.just("wait"), gaps),
    st.tuples(st.just("fire"), st.just(0)),
    st.tuples(st.just("pause"), st.just(0)),
    st.tuples(st.just("pause_until"), gaps),
    st.tuples(st.just("resume"), st.just(0)),
    st.tuples(st.just("catch_up"), st.just(0)),
    st.tuples(st.just("step_back"), gaps),
    st.tuples(st.just("edit"), schedules),
)


@settings(max_examples=200, deadline=None)
@given(schedules, policies, st.sampled_from(Overlap), st.lists(changes, max_size=12))
def test_no_instant_is_lost_or_doubled_whatever_is_done_to_a_job(
    schedule: Schedule, policy: Misfire, overlap: Overlap, done: list[tuple[str, object]]
) -> None:
    loaded = job(schedule, misfire=policy, overlap=overlap)
    begins = first_cursor(loaded, NOON)
    world = World(carried_on(due(loaded, None), begins), NOON, begun=[NOON], passed=[NOON], high=NOON)
    for change, how in done:
        act(world, change, how, policy, overlap)
    world.now = max(world.now, world.high)
    world.fire()
    world.record(plan_edit(world.waiting, world.now))

    for version, decided in enumerate(world.decided):
        assert not [one for one, times in decided.items() if times > 1], "decided twice"
        assert all(one > world.begun[version] for one in decided), "before the version was there"
    everything = Counter(one for decided in world.decided for one in decided)
    assert not [one for one, times in everything.items() if times > 1], "decided by two versions"
    undecided = set(instants(world.schedule, world.passed[-1] + 1, world.now)) - set(world.decided[-1])
    assert not undecided, "lost"


def act(world: World, change: str, how: object, policy: Misfire, overlap: Overlap) -> None:
    match change:
        case "wait":
            assert isinstance(how, int)
            world.now = bounded(world.schedule, world.now, how)
        case "step_back":
            assert isinstance(how, int)
            world.now -= how
        case "fire":
            world.fire()
        case "pause":
            world.record(plan_pause(world.waiting, world.now))
        case "pause_until":
            assert isinstance(how, int)
            world.record(plan_pause(world.waiting, world.now, until=world.now + how))
        case "resume" | "catch_up":
            world.record(plan_resume(world.waiting, world.now, catch_up=change == "catch_up"))
        case "edit":
            assert isinstance(how, Schedule)
            edit(world, how, policy, overlap)


def edit(world: World, schedule: Schedule, policy: Misfire, overlap: Overlap) -> None:
    before, past = world.waiting, plan_edit(world.waiting, world.now)
    loaded = job(schedule, misfire=policy, overlap=overlap, version=before.job.version + 1)
    becomes = first_cursor(loaded, world.now, edited=before, past=past)
    world.record(past, becomes=becomes, loaded=loaded)
    decided = max((one for counter in world.decided for one in counter), default=world.now)
    world.begun.append(world.now)
    world.passed.append(max(world.now, world.passed[-1], decided))
    world.decided.append(Counter())


@settings(max_examples=50, deadline=None)
@given(schedules, gaps)
def test_a_deleted_job_has_no_undecided_past(schedule: Schedule, gap: int) -> None:
    first = schedule.next_after(NOON)
    if first is None:
        return
    now = bounded(schedule, first, gap)
    accounted(schedule, plan_delete(due(job(schedule), first), now), first, now)
