"""What an isolator is to the worker: it executes an attempt, stops it when asked, and says once how it ended."""

from typing import Protocol

from foliot.domain.verdict import Cause
from foliot.ports.handler import Invocable
from foliot.ports.worker_link import CallbackAddress
from foliot.sdk.invocation import Outcome
from foliot.sdk.stop_signal import Killed
from foliot.worker.attempt import Attempt
from foliot.worker.locks import RunLocks


class Host(Protocol):
    """The worker, seen from an isolator. Every call comes from the loop."""

    @property
    def locks(self) -> RunLocks: ...

    def may_start(self, attempt: Attempt) -> bool:
        """Called right before the handler starts. False: not now; the attempt is the host's again."""
        ...

    def ended(self, attempt: Attempt, outcome: Outcome) -> None:
        """The attempt is over and nothing of it runs any more. Called once."""
        ...

    def progressed(self, attempt: Attempt) -> None:
        """There is news of the attempt that the server should get soon."""
        ...

    def wait(self, attempt: Attempt, what: str | None) -> None:
        """The attempt does nothing itself from now on but wait for somebody; None: it goes on."""
        ...

    async def open_callback(self, attempt: Attempt) -> CallbackAddress:
        """Ask a server for an address where somebody else can end the attempt."""
        ...


class Isolator(Protocol):
    """Executes attempts in one isolation: the loop, a thread, a process. Every call comes from the loop."""

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        """Execute it, as soon as there is room."""
        ...

    def stop(self, attempt: Attempt, *, grace_s: float) -> None:
        """Ask it to stop (`stop_cause` is set) and see to it that it does within `grace_s`, as far as it can."""
        ...

    def kill(self, attempt: Attempt) -> None:
        """End it now, without asking."""
        ...

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None:
        """A lock that it holds surely holds until then; see `Clock.monotonic`."""
        ...


def judged(attempt: Attempt, outcome: Outcome, *, was_asked: bool) -> Outcome:
    """How the end counts: one that was asked to stop and knew it ended for that reason, whatever it did then.

    An attempt that succeeded without having noticed that it was asked has succeeded.
    """
    asked = attempt.stop_cause
    if asked is None or not was_asked or outcome.cause in (Cause.SUCCEEDED, Cause.REJECTED):
        return outcome
    how = "its process was killed" if outcome.error_type == Killed.__name__ else "it stopped when asked"
    return Outcome(
        cause=asked,
        result=outcome.result if asked is Cause.CANCELLED else None,
        error=outcome.error or f"{attempt.stop_why}; {how}.",
        error_type=outcome.error_type,
    )


def killed(attempt: Attempt, words: str) -> Outcome:
    """The end of an attempt whose process is gone: killed by us, or by something else, which is an error."""
    if attempt.stop_cause is None:
        return Outcome(cause=Cause.ERROR, error=f"The run did not finish: {words}.", error_type="ProcessDied")
    return Outcome(
        cause=attempt.stop_cause, error=f"{attempt.stop_why}; its process was killed.", error_type=Killed.__name__
    )
