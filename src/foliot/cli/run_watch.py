"""Watching a run: what happens to it, its log, its end."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from foliot.cli.progress import LiveProgress, StatusLine, told
from foliot.cli.server_access import User
from foliot.cli.terminal import echo, steer
from foliot.domain.errors import FoliotError

WATCH_EVERY_S: Final = 2.0
ASK_WHY_FIRST: Final = (
    2  # the look at a pending run with which its reason is asked for; one that starts at once needs none
)
ASK_WHY_EVERY: Final = 10  # looks
PIPED_EVERY: Final = 20  # looks between two lines of progress where no terminal is


def watched(user: User, run: str, within: str) -> Mapping[str, Any]:
    """The run once it is over; `RunNotFinished` (exit code 9) when that takes longer.

    Meanwhile people see what happens to it. Ctrl-C ends the watch, not the run.
    """
    if not user.out.is_for_people:
        last: Mapping[str, Any] = user.client.runs.wait(run, within).raw
        return last
    with Watch(user, run) as watch:
        for seen in user.client.runs.watch(run, within):
            watch.see(seen.raw)
    return watch.last


class Watch:
    """Tells what happens to a run, look by look: what it waits for, on which worker it is, how far it is."""

    def __init__(self, user: User, run: str) -> None:
        self._user = user
        self._run = run
        self._line = StatusLine(user.out)
        self._is_live = sys.stderr.isatty()
        self._tries_told: set[tuple[int, str]] = set()
        self._verdict = ""
        self._looks = 0
        self._looks_pending = 0
        self.last: Mapping[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.show("")
        if isinstance(error, KeyboardInterrupt):
            tell_left(self._user, self._run)

    def see(self, run: Mapping[str, Any]) -> None:
        """Tell what is new."""
        self.last = run
        self._looks += 1
        self._tell_worker(run)
        self._tell_reason(run)
        self._tell_progress(run)

    def _tell_worker(self, run: Mapping[str, Any]) -> None:
        node, attempt = run["node"], run["attempt"]
        if not node or (attempt, node) in self._tries_told:
            return
        self._tries_told.add((attempt, node))
        again = attempt if attempt > 1 else None
        self._line.show("")
        self._user.out.talk("on_worker", mark="run", job=run["job"], run=run["id"], node=node, again=again)

    def _tell_reason(self, run: Mapping[str, Any]) -> None:
        """Say what a pending run waits for, once for each reason."""
        if run["state"] != "PENDING":
            self._looks_pending = 0
            return
        self._looks_pending += 1
        if self._looks_pending % ASK_WHY_EVERY != ASK_WHY_FIRST:
            return
        try:
            reason = self._user.client.runs.why(self._run, tz=self._user.times.name)
        except FoliotError:  # the next look says what is wrong with the server
            return
        if reason["verdict"] != self._verdict:
            self._verdict = reason["verdict"]
            self._say_reason(reason)

    def _say_reason(self, reason: Mapping[str, Any]) -> None:
        out = self._user.out
        self._line.show("")
        echo(out.mark("wait"), reason["sentence"], err=True)
        if reason["hint"]:
            echo(out.dim(f"  {reason['hint']}"), err=True)

    def _tell_progress(self, run: Mapping[str, Any]) -> None:
        line = told(self._user, run)
        if self._is_live:
            self._line.show(line)
        elif line and self._looks % PIPED_EVERY == 0:
            echo(self._user.out.mark("run"), line, err=True)


def tell_left(user: User, run: str) -> None:
    """After Ctrl-C: the run goes on."""
    user.out.talk("watch_left", mark="warn", run=run)


def show_log(
    user: User,
    run_id: str,
    *,
    follow: bool,
    pattern: "re.Pattern[str] | None" = None,
    raw: bool = False,
    **which: Any,
) -> None:
    """The lines of a run's log, times in the reader's zone unless `raw`; with `follow` as they come."""
    with LiveProgress(user, run_id, is_wanted=follow, is_raw=raw) as progress:
        lines = user.client.runs.logs(run_id, follow=follow, **which)
        for line in lines:
            is_wanted = pattern is None or pattern.search(line)
            if is_wanted:
                shown = line if raw else user.times.in_line(line)
                progress.above(shown)


def follow_log(user: User, run: str) -> None:
    """A run's log on stdout as it comes, until the run is over. Ctrl-C ends the watch, not the run."""
    try:
        show_log(user, run, follow=True)
    except KeyboardInterrupt:
        tell_left(user, run)
        raise


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
        has_log = run["started_at"] is not None
        if has_log:
            echo(out.dim(f"  foliot run logs {run['id']}"), err=True)
    if run["state"] != "SUCCEEDED":
        raise SystemExit(6)


def say_state(user: User, run: Mapping[str, Any]) -> None:
    """Where a run stands that has not succeeded: how it failed, or that it is not over."""
    out = user.out
    kind = f" ({out.word(run['kind'])})" if run["kind"] else ""
    said = {"job": run["job"], "run": run["id"], "state": f"{out.state_word(run['state'])}{kind}"}
    mark = "run" if run["ended_at"] is None else "bad"
    why = first_line(run["error"])
    if why:
        out.talk("ended_why", mark=mark, why=why, **said)
    else:
        out.talk("ended", mark=mark, **said)


def first_line(text: str | None) -> str:
    """The first line of an error; nothing when there is none."""
    lines = (text or "").strip().splitlines()
    return lines[0] if lines else ""


def note(user: User, run: Mapping[str, Any]) -> None:
    """What there is to say of a run that succeeded, such as that its result could not be kept."""
    out, said = user.out, run["error"]
    has_succeeded = run["state"] == "SUCCEEDED"
    if has_succeeded and said and out.is_for_people:
        echo(out.mark("warn"), said, err=True)


def show_result(result: Any) -> None:
    """A result for people: text as text, everything else as JSON, nothing for nothing."""
    if isinstance(result, str):
        echo(result)
    elif result is not None:
        echo(json.dumps(result, ensure_ascii=False, indent=2))


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
