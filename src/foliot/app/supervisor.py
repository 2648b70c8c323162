"""The supervisor of `--supervise`: a small process that starts the real one, and starts it again when it fails.

The child's loop sends marks through a socket. A child that is silent for too long is wedged: it shows its stacks, is
asked to end, and is killed. Restarts wait longer and longer; a child that fails again and again is given up.
"""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final

import structlog

from foliot.app.overseers import SUPERVISED, Overseers
from foliot.domain.errors import ClusterTrouble
from foliot.domain.restarts import WEDGED
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.worker.isolation.limits import DUMP_SIGNAL

MARKS_PER_SILENCE: Final = 4
"""How many marks a child sends in the time of which one mark would be enough."""
FORWARDED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
NOT_AGAIN: Final = frozenset({0, 2, 3, 4, 5})
"""Exit codes after which a new start would end alike: a wanted end, a refused option, a missing right."""
OUTSIDE: Final = 8
"""The exit code for trouble outside of the process, such as a store that is away: it is no crash."""
LOOK_S: Final = 1.0

log = structlog.get_logger("foliot.supervisor")


class CrashLoop(ClusterTrouble):
    """A supervised process failed too often in a short time."""

    code = "FOL-5065"

    def __init__(self, ends: int, *, within_s: float, last: str) -> None:
        super().__init__(
            f"The process failed {ends} times within {within_s:g} s, the last time: {last}. It is not started again.",
            hint="see the log for why, then start it again",
            ends=ends,
            within=f"{within_s:g}",
            last=last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """When a child is wedged, how long restarts wait, and when a child is given up."""

    silent_s: float = 30.0
    starting_s: float = 120.0  # until the first mark: a big store may be upgraded, many modules imported
    ends_within_s: float = 10.0  # from SIGTERM to SIGKILL of a wedged child
    rest_s: float = 1.0
    rest_max_s: float = 30.0
    crashes_max: int = 5
    window_s: float = 300.0


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended."""

    code: int  # as the shell says it
    why: str
    is_wedged: bool = False

    @property
    def is_wanted(self) -> bool:
        return not self.is_wedged and self.code in NOT_AGAIN


class Supervisor:
    """Used once, in the main thread of a process that does nothing else."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        clock: Clock,
        chance: Chance,
        rules: Supervision,
        manager: Overseers,
    ) -> None:
        """`manager`: systemd, if it started this process. The child speaks to the supervisor alone."""
        self._command = command
        self._environment = environment
        self._clock = clock
        self._chance = chance
        self._rules = rules
        self._manager = manager
        self._child: subprocess.Popen[bytes] | None = None
        self._is_asked = False  # somebody wants the end of both
        self._ended_at: list[float] = []
        self._crashed_at: list[float] = []
        self._restarts = 0
        self._last_end = 0  # exit code after which the child was started again; WEDGED
        self._rung, self._bell = socket.socketpair()  # a signal rings: a wait ends

    def run(self) -> int:
        """Until the child ends as it should; its exit code. `CrashLoop`: it fails all the time."""
        with self._signals():
            end = ChildEnd(0, "asked to end before it began")
            while not self._is_asked:
                end = self._one_life()
                if end.is_wanted:
                    break
                if not self._is_asked:
                    self._rest(self._next_start_s(end))
                    self._restarts += 1
                    self._last_end = WEDGED if end.is_wedged else end.code
            return end.code

    # ------------------------------------------------------------------------------------------------------- a life

    def _one_life(self) -> ChildEnd:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                child = self._child = self._started(theirs)
            if self._is_asked:  # while it was being started
                child.terminate()
            log.info("supervisor.started", child=child.pid)
            try:
                return self._watched(child, ours)
            finally:
                self._child = None

    def _started(self, theirs: socket.socket) -> "subprocess.Popen[bytes]":
        every_s = self._rules.silent_s / MARKS_PER_SILENCE
        return subprocess.Popen(  # noqa: S603  our own command line
            self._command,
            env={
                **self._environment,
                SUPERVISED: f"{theirs.fileno()} {every_s:g} {self._restarts} {self._last_end}",
            },
            pass_fds=[theirs.fileno()],
            process_group=0,  # Ctrl-C in a terminal reaches the supervisor alone, which forwards it once
        )

    def _watched(self, child: "subprocess.Popen[bytes]", ours: socket.socket) -> ChildEnd:
        """Until the child has ended, by itself or because it was wedged."""
        heard_at = looked_at = self._clock.monotonic()
        silent_s = max(self._rules.starting_s, self._rules.silent_s)
        with selectors.DefaultSelector() as selector:
            selector.register(ours, selectors.EVENT_READ)
            while child.poll() is None:
                is_heard = bool(selector.select(LOOK_S)) and self._take_marks(child, ours)
                now = self._clock.monotonic()
                was_paused = (
                    now - looked_at > 2 * LOOK_S + 1
                )  # this process stood still itself: the child may have, too
                if is_heard or was_paused:
                    heard_at = now
                if is_heard:
                    silent_s = self._rules.silent_s
                looked_at = now
                self._manager.alive()
                if now - heard_at >= silent_s:
                    return self._ended_by_us(child, silent_s=now - heard_at)
        return _end_of(child.returncode)

    def _take_marks(self, child: "subprocess.Popen[bytes]", ours: socket.socket) -> bool:
        """Read what the child said, and tell systemd what is for it."""
        said = ours.recv(4096, socket.MSG_DONTWAIT)
        fields = [field for field in said.decode(errors="replace").split("\n") if field and field != "WATCHDOG=1"]
        if fields:
            self._manager.say(*fields)
        if not said:  # the child closed its end, and is about to be gone
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(LOOK_S)
        return bool(said)

    def _ended_by_us(self, child: "subprocess.Popen[bytes]", *, silent_s: float) -> ChildEnd:
        log.error("supervisor.wedged", child=child.pid, silent_s=round(silent_s, 1))
        self._manager.say("STATUS=The loop is wedged: it is ended and started again.")
        child.send_signal(DUMP_SIGNAL)  # where each thread stands goes to the log
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(LOOK_S)
        child.terminate()
        try:
            child.wait(self._rules.ends_within_s)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        return ChildEnd(_end_of(child.returncode).code, f"its loop was silent for {silent_s:.0f} s", is_wedged=True)

    # -------------------------------------------------------------------------------------------------- the next start

    def _next_start_s(self, end: ChildEnd) -> float:
        """How long to rest; `CrashLoop` when it is enough."""
        rules, now = self._rules, self._clock.monotonic()
        self._ended_at = [*(at for at in self._ended_at if now - at < rules.window_s), now]
        if end.is_wedged or end.code != OUTSIDE:
            self._crashed_at = [*(at for at in self._crashed_at if now - at < rules.window_s), now]
            if len(self._crashed_at) >= rules.crashes_max:
                raise CrashLoop(len(self._crashed_at), within_s=rules.window_s, last=end.why)
        most_s = min(rules.rest_s * 2.0 ** (len(self._ended_at) - 1), rules.rest_max_s)
        rest_s = most_s * (0.5 + self._chance.fraction() / 2)
        log.warning("supervisor.restart", why=end.why, code=end.code, in_s=round(rest_s, 2))
        self._manager.say(f"STATUS=Started again in {rest_s:.0f} s: {end.why}.")
        return rest_s

    def _rest(self, rest_s: float) -> None:
        until = self._clock.monotonic() + rest_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._rung, selectors.EVENT_READ)
            while not self._is_asked and (left_s := until - self._clock.monotonic()) > 0:
                if selector.select(min(left_s, LOOK_S)):
                    self._rung.recv(64)
                self._manager.alive()

    # --------------------------------------------------------------------------------------------------------- signals

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        self._bell.setblocking(False)
        before = {number: signal.signal(number, self._forward) for number in FORWARDED if _is_heard(number)}
        rang = signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(rang)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._rung.close()
            self._bell.close()

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self._is_asked = True
        if self._child is not None:
            self._child.send_signal(number)


def _is_heard(number: int) -> bool:
    """`nohup` lets a process ignore the end of its terminal, and the child inherits that."""
    return number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN


def _end_of(returncode: int) -> ChildEnd:
    if returncode < 0:
        number = -returncode
        return ChildEnd(128 + number, f"killed by {signal.Signals(number).name}")
    return ChildEnd(returncode, f"exit code {returncode}")


def own_command() -> list[str]:
    """The command line of this process, to be started as it was."""
    return [sys.executable, *sys.orig_argv[1:]]


def supervise(manager: Overseers, rules: Supervision, *, clock: Clock, chance: Chance) -> int:
    """Start this very command as a child, and see that it lives."""
    return Supervisor(own_command(), os.environ, clock=clock, chance=chance, rules=rules, manager=manager).run()
