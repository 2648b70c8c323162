"""What happened before somebody looks: runs that are over, a failure that people are told of, a lock that is held."""

from typing import Any, Final, Protocol

import httpx2

from tests.eventually import eventually

MARKUP: Final = '<img src=x onerror="window.hacked=1">'


class Ask(Protocol):
    """One request with a token that may do everything."""

    def __call__(self, method: str, path: str, body: Any = None, /) -> httpx2.Response: ...


def live(ask: Ask) -> None:
    """Let the jobs of `tests/console/jobs.py` do what each is for; they are there already."""
    over = [trigger(ask, job) for job in ("slow", "load_orders")]
    over.append(trigger(ask, "markup", params={"text": MARKUP}))
    for run in over:
        eventually(lambda run=run: _is_over(ask, run), what="some runs are over")  # type: ignore[misc]
    for job in ("charge", "holder", "holder", "posting", "posting"):
        trigger(ask, job)
    past = {"job": "daily", "from": "2026-08-01T00:00:00Z", "to": "2026-08-03T00:00:00Z"}
    seen = made(ask("POST", "/api/v1/backfills:preview", past)).json()
    made(ask("POST", "/api/v1/backfills", {**past, "token": seen["token"]}))


def until_told(ask: Ask) -> None:
    """Wait for what takes a moment: the lock has its holder, and people are told of the failure."""
    eventually(lambda: len(_waiters(ask)) == 1, what="one run holds the lock and one waits")
    eventually(lambda: len(_alerts(ask)) == 1, what="people are told of the failure")


def trigger(ask: Ask, job: str, **wish: Any) -> str:
    return str(made(ask("POST", f"/api/v1/jobs/{job}:trigger", wish)).json()["id"])


def made(answer: httpx2.Response) -> httpx2.Response:
    assert answer.is_success, answer.text
    return answer


def _is_over(ask: Ask, run: str) -> bool:
    return ask("GET", f"/api/v1/runs/{run}").json()["ended_at"] is not None


def _waiters(ask: Ask) -> list[object]:
    locks = ask("GET", "/api/v1/locks").json()["items"]
    return [waiter for lock in locks for waiter in lock["waiters"]]


def _alerts(ask: Ask) -> list[object]:
    found: list[object] = ask("GET", "/api/v1/alerts?job=charge").json()["items"]
    return found
