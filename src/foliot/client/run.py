"""A run, as a client sees it: what the server said last."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from foliot.client.errors import RunNotFinished, RunNotSucceeded
from foliot.domain.run import LIVE, RunState


class RunView:
    """What a server said of a run. `raw` has all of it."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    def __repr__(self) -> str:
        return f"<run {self.id} of {self.job}: {self.state}>"

    @property
    def id(self) -> str:
        """As people see it: `r-8k2f`."""
        return str(self.raw["id"])

    @property
    def job(self) -> str:
        return str(self.raw.get("job", ""))

    @property
    def namespace(self) -> str:
        return str(self.raw.get("namespace", ""))

    @property
    def state(self) -> str:
        """PENDING, RUNNING, SUCCEEDED, FAILED or CANCELLED."""
        return str(self.raw.get("state", ""))

    @property
    def is_final(self) -> bool:
        """Whether it is over for good."""
        return bool(self.state) and self.state not in LIVE

    @property
    def attempt(self) -> int:
        return int(self.raw.get("attempt") or 0)

    @property
    def due_at(self) -> datetime | None:
        return _moment(self.raw.get("due_at"))

    @property
    def stands_for(self) -> str | None:
        """In the answer of a trigger that made no run: why this one stands for it (key, debounce, throttle)."""
        return self.raw.get("stands_for")

    @property
    def progress(self) -> Mapping[str, Any] | None:
        """How far it is, while it runs and says so: done, total, note, rate_per_s, left_s."""
        return self.raw.get("progress")

    @property
    def waits(self) -> Mapping[str, Any] | None:
        """The other system that it waits for while it runs: what (callback, poll) and since."""
        return self.raw.get("waits")

    @property
    def error(self) -> str | None:
        """What went wrong, when something did."""
        return self.raw.get("error")

    @property
    def failure_kind(self) -> str | None:
        """Of a FAILED run: error, timeout, lost, rejected or poison."""
        return self.raw.get("kind")

    @property
    def result(self) -> Any:
        """What the job returned; `RunNotSucceeded` when it did not come to that."""
        if self.state == RunState.SUCCEEDED:
            return self.raw.get("result")
        if not self.is_final:
            raise RunNotFinished(self.id, self.job, self.state)
        raise RunNotSucceeded(self.id, self.job, self.state, self.failure_kind, self.error)


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None
