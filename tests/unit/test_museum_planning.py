"""The failure museum, planning wing: how other schedulers lost, doubled or stopped fires, each as a test of ours."""

from dataclasses import dataclass, field
from itertools import product

import pytest

from foliot.domain.fire import CursorState, DueJob, Plan, PlannedRun, PlannedSkip, trigger_key
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.pacer import CatchUpPacer
from foliot.domain.plans import decide_batch, first_cursor, plan, plan_edit, plan_pause, plan_resume
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import Schedule
from tests.unit.planning.situations import at, carried_on, cron, due, every, instants, job

MORNING = at("2026-03-02 09:00")
MINUTELY, HOURLY = cron("* * * * *"), cron("0 * * * *")
POLICIES = {"skip": misfire.skip, "latest": misfire.latest(), "all": misfire.all(within="7d")}


@dataclass
class Life:
    """A job through time: what it was told, and everything it decided."""

    policy: Misfire
    schedule: Schedule | None = MINUTELY
    overlap: Overlap = Overlap.ALLOW
    now: Instant = MORNING
    runs: list[PlannedRun] = field(default_factory=list)
    skips: list[PlannedSkip] = field(default_factory=list)
    waiting: DueJob = field(init=False)

    def __post_init__(self) -> None:
        loaded = job(self.schedule, misfire=self.policy, overlap=self.overlap)
        self.waiting = carried_on(due(loaded, None), first_cursor(loaded, self.now))

    def ticks(self, until: Instant) -> None:
        """Servers are up: every instant is decided when it comes."""
        while self.waiting.cursor.next_at is not None and self.waiting.cursor.next_at <= until:
            self.now = max(self.now, self.waiting.cursor.next_at)
            self._record(plan(self.waiting, self.now))
        self.now = until

    def sleeps(self, until: Instant) -> None:
        """Nobody is up until then; then everything that is due is decided."""
        self.now = until
        while self.waiting.cursor.next_at is not None and self.waiting.cursor.next_at <= until:
            self._record(plan(self.waiting, until))

    def is_paused(self) -> None:
        self._record(plan_pause(self.waiting, self.now))

    def is_resumed(self, *, catch_up: bool = False) -> None:
        self._record(plan_resume(self.waiting, self.now, catch_up))

    def is_edited(self, schedule: Schedule | None) -> None:
        past = plan_edit(self.waiting, self.now)
        loaded = job(schedule, misfire=self.policy, overlap=self.overlap, version=self.waiting.job.version + 1)
        becomes = first_cursor(loaded, self.now, edited=self.waiting, past=past)
        self._record(past)
        self.waiting = carried_on(self.waiting, becomes, job=loaded)

    def _record(self, decided: Plan) -> None:
        self.runs += decided.runs
        self.skips += decided.skips
        self.waiting = carried_on(self.waiting, decided)

    @property
    def created(self) -> list[Instant]:
        return [run.due_at for run in self.runs]

    def reasons(self) -> dict[str, int]:
        counted: dict[str, int] = {}
        for skip in self.skips:
            counted[str(skip.reason)] = counted.get(str(skip.reason), 0) + skip.count
        return counted


# ------------------------------------------------------------------------- too many missed: the schedule stops for good


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("schedule", [every("1s"), MINUTELY, HOURLY, cron("0 9 * * MON")])
@pytest.mark.parametrize("gap", [365 * DAY, 3652 * DAY], ids=["a year", "ten years"])
def test_too_many_missed_never_stop_a_schedule(policy: Misfire, schedule: Schedule, gap: int) -> None:
    life = Life(policy, schedule)
    life.sleeps(MORNING + gap)
    assert life.waiting.cursor.state == CursorState.ACTIVE
    assert life.waiting.cursor.next_due_at == schedule.next_after(MORNING + gap)
    assert len(life.created) + sum(life.reasons().values()) == schedule.count_between(MORNING, MORNING + gap)
    assert len(life.skips) <= 2
    soon = schedule.next_after(MORNING + gap)
    assert soon is not None
    life.ticks(soon)
    assert life.created[-1] == soon, "the next fire comes as if nothing had been"


@pytest.mark.parametrize("policy", [misfire.latest(within="7d"), misfire.all(within="7d")])
def test_the_window_is_measured_from_now_backwards_not_from_the_last_run_forwards(policy: Misfire) -> None:
    life = Life(policy, cron("0 9 * * *"))
    life.sleeps(MORNING + 30 * DAY + HOUR)
    assert all(life.now - run.due_at <= 7 * DAY for run in life.runs)
    assert life.created[-1] == MORNING + 30 * DAY


def test_a_tight_window_with_a_slow_loop_loses_no_run() -> None:
    """A loop that looks only every 50 s: each fire is late, none is missed, whatever the policy."""
    for policy in POLICIES.values():
        life = Life(policy)
        for n in range(1, 100):
            life.sleeps(MORNING + n * 50 * SECOND)
        assert life.created == list(instants(MINUTELY, MORNING + 1, life.now))
        assert life.skips == []


# ---------------------------------- re-enable, edit, outage: floods or skips. {pause, disable, edit, outage} × policies


def an_hour_of(how: str, life: Life) -> None:
    """An hour without fires, from 10:00:30 to 11:00:30, for one of four causes."""
    end = MORNING + 2 * HOUR + 30 * SECOND
    match how:
        case "outage":
            life.sleeps(end)
        case "pause":
            life.is_paused()
            life.ticks(end)
            life.is_resumed()
        case "disable":
            life.is_edited(None)
            life.ticks(end)
            life.is_edited(MINUTELY)
        case "edit":  # servers are away, and the first thing that happens then is an edit
            life.now = end
            life.is_edited(MINUTELY)


WAYS = ("pause", "disable", "edit", "outage")
HOUR_OF_GAP = 60


@pytest.mark.parametrize(("how", "policy"), list(product(WAYS, POLICIES)))
def test_after_a_gap_neither_a_flood_nor_a_hole(how: str, policy: str) -> None:
    life = Life(POLICIES[policy])
    life.ticks(MORNING + HOUR + 30 * SECOND)
    before = len(life.created)
    assert before == 60
    an_hour_of(how, life)
    made, left_out = len(life.created) - before, life.reasons()
    expected = {
        ("pause", "skip"): (0, {"paused": HOUR_OF_GAP}),
        ("pause", "latest"): (0, {"paused": HOUR_OF_GAP}),
        ("pause", "all"): (0, {"paused": HOUR_OF_GAP}),
        ("disable", "skip"): (0, {}),
        ("disable", "latest"): (0, {}),
        ("disable", "all"): (0, {}),
        ("edit", "skip"): (1, {"misfire": HOUR_OF_GAP - 1}),
        ("edit", "latest"): (1, {"misfire": HOUR_OF_GAP - 1}),
        ("edit", "all"): (HOUR_OF_GAP, {}),
        ("outage", "skip"): (1, {"misfire": HOUR_OF_GAP - 1}),
        ("outage", "latest"): (1, {"misfire": HOUR_OF_GAP - 1}),
        ("outage", "all"): (HOUR_OF_GAP, {}),
    }
    assert (made, left_out) == expected[how, policy]
    life.ticks(MORNING + 3 * HOUR + 30 * SECOND)
    assert life.created[-60:] == list(instants(MINUTELY, MORNING + 2 * HOUR + MINUTE, life.now)), "then as usual"
    assert len(life.created) == len(set(life.created))


def test_editing_a_schedule_does_not_fire_it() -> None:
    life = Life(misfire.latest(), HOURLY)
    life.ticks(MORNING + HOUR + 30 * MINUTE)
    fired = len(life.created)
    for schedule in (HOURLY, cron("0 9 * * *"), cron("15 * * * *"), MINUTELY, HOURLY):
        life.is_edited(schedule)
        assert len(life.created) == fired
    life.ticks(MORNING + 2 * HOUR)
    assert life.created[-1] == MORNING + 2 * HOUR


def test_re_enabling_is_a_choice_skip_or_catch_up() -> None:
    for catch_up, runs in ((False, 0), (True, 60)):
        life = Life(misfire.all(within="7d"))
        life.is_paused()
        life.ticks(MORNING + HOUR)
        life.is_resumed(catch_up=catch_up)
        assert len(life.created) == runs


def test_paused_time_does_not_count_as_missed() -> None:
    life = Life(misfire.latest(), HOURLY)
    life.is_paused()
    life.ticks(MORNING + 100 * DAY)
    life.is_resumed()
    assert life.reasons() == {"paused": 2400}


# ------------------------------------------------------------------------------------------------ clocks that step


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("step", [8 * HOUR, -8 * HOUR], ids=["forward", "back"])
def test_a_clock_that_steps_eight_hours_loses_and_doubles_nothing(policy: Misfire, step: int) -> None:
    life = Life(policy)
    life.ticks(MORNING + HOUR)
    life.sleeps(life.now + step)
    life.ticks(MORNING + 20 * HOUR)
    assert len(life.created) == len(set(life.created))
    assert len(life.created) + sum(life.reasons().values()) == MINUTELY.count_between(MORNING, life.now)


def test_while_the_clock_is_behind_nothing_is_decided_and_afterwards_all_goes_on() -> None:
    life = Life(misfire.latest())
    life.ticks(MORNING + HOUR)
    fired = life.created
    life.now = MORNING - 7 * HOUR
    life.ticks(MORNING + HOUR)
    assert life.created == fired
    life.ticks(MORNING + HOUR + MINUTE)
    assert life.created == [*fired, MORNING + HOUR + MINUTE]


def test_a_machine_that_slept_catches_up_by_policy_when_it_wakes() -> None:
    life = Life(misfire.latest(within="12h"), cron("0 3 * * *"))
    life.sleeps(at("2026-03-03 10:00"))
    assert [(run.due_at, run.catch_up) for run in life.runs] == [(at("2026-03-03 03:00"), True)]


# ------------------------------------------------------------------------------------------------ many at one moment


def test_two_triggers_in_one_second_stay_two() -> None:
    assert len({trigger_key(f"t{n}") for n in range(100)}) == 100
    both = Schedule(triggers=(*every("30s").triggers, *MINUTELY.triggers))
    decided = plan(due(job(both), MORNING), MORNING + SECOND)
    assert [run.due_at for run in decided.runs] == [MORNING], "two triggers of one schedule at one instant are one fire"


def test_five_thousand_schedules_due_at_once_all_fire() -> None:
    batch = [due(job(MINUTELY), MORNING) for _ in range(5000)]
    plans = decide_batch(MORNING, batch, pacer=CatchUpPacer())
    assert len(plans) == 5000
    assert all([run.due_at for run in decided.runs] == [MORNING] for decided in plans)


def test_an_overlap_ban_holds_through_an_outage() -> None:
    """A run is still open after the outage: nothing starts beside it, whatever was missed."""
    for policy in POLICIES.values():
        loaded = job(MINUTELY, misfire=policy, overlap=Overlap.SKIP)
        decided = plan(due(loaded, MORNING, open=1), MORNING + 3 * HOUR)
        assert decided.runs == ()
        assert sum(skip.count for skip in decided.skips) == 181


def test_a_zone_is_heeded_on_the_way_back_too() -> None:
    """After an outage over the spring gap a nightly job in Berlin is neither lost nor doubled."""
    schedule = cron("30 2 * * *", tz="Europe/Berlin")
    life = Life(misfire.all(within="7d"), schedule, now=at("2026-03-27 12:00"))
    life.sleeps(at("2026-03-31 12:00"))
    assert [run.due_at for run in life.runs] == [
        at("2026-03-28 02:30", "Europe/Berlin"),
        at("2026-03-29 03:00", "Europe/Berlin"),
        at("2026-03-30 02:30", "Europe/Berlin"),
        at("2026-03-31 02:30", "Europe/Berlin"),
    ]
