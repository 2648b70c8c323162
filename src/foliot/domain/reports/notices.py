"""The notices of a report: one for each channel of its schedule."""

from collections.abc import Mapping, Sequence
from typing import Any

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.reports.period import Period
from foliot.domain.reports.schedule import ReportSchedule


def addresses_of(schedule: ReportSchedule, known: frozenset[tuple[str | None, str]]) -> list[tuple[str | None, str]]:
    """Namespace and name of each channel: the namespace's own goes before one of the whole cluster.

    One that nobody made is kept: that it fails is to be seen.
    """
    owned = [(schedule.namespace, name) for name in schedule.to]
    return list(dict.fromkeys(one if one in known else (None, one[1]) for one in owned))


def report_notices(
    schedule: ReportSchedule,
    period: Period,
    data: Mapping[str, Any],
    addresses: Sequence[tuple[str | None, str]],
    *,
    besides: str = "",
) -> list[Notice]:
    """Under a key of the period: the same report is never told twice there. `besides`: another one, for the asking."""
    own = f"{schedule.namespace or ''}/{schedule.name}"
    extra = f":{besides}" if besides else ""
    return [
        Notice(
            key=f"report:{own}:{period.kind}:{period.from_at}:{namespace or ''}/{name}{extra}",
            kind=NoticeKind.REPORT,
            channel=name,
            namespace=namespace,
            level=AlertLevel.INFO,
            data={"schedule": schedule.name, "language": schedule.language, "report": data},
        )
        for namespace, name in addresses
    ]
