"""Reports: how the runs of a day or a week went, and who is told of it when."""

# Written by python -m tests.client.derive: change foliot/client/awaited/reports.py, then run it.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Reports:
    """Reports: how the runs of a day or a week went, and who is told of it when."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def get(
        self,
        kind: str = "daily",
        *,
        date: str | None = None,
        tz: str = "UTC",
        form: str = "json",
        namespace: str | None = None,
    ) -> Answer:
        """The `daily` or `weekly` report of the period that has this date; without one, of the last that is over.

        `form`: `text`, `markdown` or `html` have the whole report in `written`. Of every namespace unless one is given.
        """
        asked = {"kind": kind, "date": date, "tz": tz, "format": form}
        return dict(self._ask("get_report", **asked, **_of(namespace)))

    def schedules(
        self, *, limit: int | None = None, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """Which reports are sent when, and to whom: of the cluster and of every namespace, or of one."""
        return page_of(dict, self._ask("list_report_schedules", limit=limit, cursor=cursor, **_of(namespace)))

    def get_schedule(self, name: str, *, namespace: str | None = None) -> Answer:
        """One of them; without a namespace, one of the whole cluster."""
        return dict(self._ask("get_report_schedule", name=name, **_of(namespace)))

    def set_schedule(
        self, name: str, schedule: Mapping[str, Any], *, reason: str = "", namespace: str | None = None
    ) -> Answer:
        """Save one, new or in the place of another: `{"kind": "daily", "at": "08:00", "to": ["mail"]}`."""
        given = {"name": name, "schedule": dict(schedule), "reason": reason}
        return dict(self._ask("put_report_schedule", **given, **_of(namespace)))

    def send_schedule(self, name: str, *, reason: str = "", namespace: str | None = None) -> Answer:
        """Send the report of the last day or week that is over now; the answer says of which, and to whom."""
        return dict(self._ask("send_report_schedule", name=name, reason=reason, **_of(namespace)))

    def delete_schedule(self, name: str, *, reason: str = "", namespace: str | None = None) -> None:
        """Take one away."""
        self._ask("delete_report_schedule", name=name, reason=reason, **_of(namespace))


def _of(namespace: str | None) -> dict[str, str]:
    """A namespace that nobody named is not the one of the endpoint: it is about the whole cluster."""
    return {"namespace": namespace} if namespace else {}
