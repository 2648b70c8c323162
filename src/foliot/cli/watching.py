"""Watching a run: its end, its log."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from foliot.cli.asking import User
from foliot.cli.speaking import echo, steer

WATCH_EVERY_S: Final = 2.0


def wait_for(user: User, run: str, timeout: str) -> Mapping[str, Any]:
    """The run once it is over; `RunNotFinished` (exit code 9) when that takes longer."""
    found: Mapping[str, Any] = user.client.runs.wait(run, timeout).raw
    return found


def tell_end(user: User, run: Mapping[str, Any]) -> None:
    """How a run ended: its result on stdout, the rest on stderr; exit code 6 unless it succeeded."""
    out = user.out
    if not out.is_for_people:
        out.item(run, (), name="id")
    elif run["state"] == "SUCCEEDED":
        took = user.times.lasting(run["duration_s"])
        out.talk("succeeded", mark="good", job=run["job"], run=run["id"], took=took)
        note(user, run)
        show_result(run["result"])
    else:
        say_state(user, run)
    if run["state"] != "SUCCEEDED":
        raise SystemExit(6)


def say_state(user: User, run: Mapping[str, Any]) -> None:
    """Where a run stands that has not succeeded: how it failed, or that it is not over."""
    kind = f" ({run['kind']})" if run["kind"] else ""
    said = {"job": run["job"], "run": run["id"], "state": f"{run['state']}{kind}"}
    mark = "run" if run["ended_at"] is None else "bad"
    why = first_line(run["error"])
    if why:
        user.out.talk("ended_why", mark=mark, why=why, **said)
    else:
        user.out.talk("ended", mark=mark, **said)


def first_line(text: str | None) -> str:
    """The first line of an error; nothing when there is none."""
    return (text or "").strip().partition("\n")[0]


def note(user: User, run: Mapping[str, Any]) -> None:
    """What there is to say of a run that succeeded, such as that its result could not be kept."""
    if run["state"] == "SUCCEEDED" and run["error"] and user.out.is_for_people:
        echo(user.out.mark("warn"), run["error"], err=True)


def show_result(result: Any) -> None:
    """A result for people: text as text, everything else as JSON, nothing for nothing."""
    if isinstance(result, str):
        echo(result)
    elif result is not None:
        echo(json.dumps(result, ensure_ascii=False, indent=2))


def follow_log(user: User, run: str, *, attempt: int | None = None) -> None:
    """A run's log on stdout as it comes, until the run is over."""
    for line in user.client.runs.logs(run, attempt=attempt, follow=True):
        echo(line)


def repeat(user: User, tell: Callable[[], None], *, every_s: float = WATCH_EVERY_S) -> None:
    """Say the same again and again, in place on a terminal, until Ctrl-C; a server that is away is waited for."""
    from foliot.domain.errors import ClusterTrouble

    while True:
        if user.out.is_for_people and sys.stdout.isatty():
            steer("\x1b[H\x1b[J")
        try:
            tell()
        except ClusterTrouble as trouble:
            echo(user.out.mark("bad"), trouble.sentence, err=True)
        user.look_at_the_clock()
        user.client.machine.pause(every_s)
