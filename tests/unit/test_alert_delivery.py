"""What becomes of claimed notices when a channel gets more than its rate."""

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.delivery import DueNotice, RateUsed, plan_deliveries
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import HOUR, MINUTE, SECOND

NOW = 1_794_976_000 * SECOND
HOOK = Channel(name="hook", namespace=None, kind="webhook", settings={}, rate=10, rate_us=MINUTE)
KEY: tuple[str | None, str] = (None, "hook")


def waiting(number: int, level: AlertLevel = AlertLevel.WARNING) -> DueNotice:
    notice = Notice(key=f"n{number}", kind=NoticeKind.FIRED, channel="hook", namespace=None, level=level, data={})
    return DueNotice(id=number, notice=notice, created_at=NOW - HOUR, is_first_try=True)


def test_a_backlog_above_a_full_rate_is_one_digest_and_what_is_critical_stays_by_itself() -> None:
    many = [waiting(n) for n in range(500)]
    grave = [waiting(500 + n, AlertLevel.CRITICAL) for n in range(3)]
    full = {KEY: RateUsed(10, NOW - 20 * SECOND)}
    plan = plan_deliveries([*many, *grave], {KEY: HOOK}, full, NOW)
    assert (plan.send, plan.drop) == ([], {})
    ((ids, digest),) = plan.fold
    assert ids == [one.id for one in many]
    assert digest.not_before == NOW + 40 * SECOND
    assert {one: in_us for one, (in_us, _) in plan.later.items()} == {
        500: 40 * SECOND,
        501: 40 * SECOND,
        502: 40 * SECOND,
    }


def test_what_the_next_time_has_room_for_waits_as_it_is() -> None:
    full = {KEY: RateUsed(10, NOW)}
    plan = plan_deliveries([waiting(1), waiting(2)], {KEY: HOOK}, full, NOW)
    assert (plan.send, plan.fold) == ([], [])
    assert sorted(plan.later) == [1, 2]
