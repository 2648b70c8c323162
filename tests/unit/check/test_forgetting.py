"""A store that forgot is counted, not failed, if it is known to be lossy; any other may forget nothing (I7, I17)."""

from dataclasses import replace
from typing import Any

from foliot_check.findings import Finding, verify
from foliot_check.history import SECOND, Bounds, History, Line
from tests.unit.check.test_invariants import EPOCH, T0, journal_of, sound, version_row

LOSSY = Bounds(lossy=True)


def start(run: int, second: int, *, epoch: int, mono: float) -> Line:
    facts = {"run": run, "job": "job1", "due": T0 + second * SECOND, "attempt": 1, "fence": (epoch << 28) + 1}
    return Line(source="w1", what="start", mono=mono, data=facts)


def story(*, lossy: bool, **over: Any) -> History:
    """The fire at 20 s was decided and begun as run 7 before the failover, and again as run 2 after it."""
    told = sound()
    before = start(7, 20, epoch=EPOCH - 5, mono=5)
    again = start(2, 20, epoch=EPOCH, mono=10)
    told["worker_lines"] = [*told["worker_lines"], before, again]
    told["client_lines"] = [
        decided(1, 10, run=1),
        decided(1, 20, run=7),
    ]
    return History(**{**told, "bounds": LOSSY if lossy else Bounds(), **over})


def decided(job_id: int, second: int, *, run: int) -> Line:
    due = T0 + second * SECOND
    facts = {"job_id": job_id, "key": f"s:{due}", "run": run, "created_at": due + 5000}
    return Line(source="witness", what="decided", mono=0, data=facts)


def judged(history: History) -> Finding:
    return verify(history)["I17"]


def test_what_a_lossy_store_undid_is_counted() -> None:
    finding = judged(story(lossy=True))
    assert finding.holds, finding.wrong
    assert finding.figures == {"re_decided": 1, "starts_forgotten": 1, "re_run": 1, "at_most_once_re_run": 0}


def test_at_most_once_work_that_ran_again_is_counted_apart() -> None:
    history = story(lossy=True, versions=[version_row(on_lost="fail")])
    assert judged(history).figures["at_most_once_re_run"] == 1


def test_a_store_that_is_not_lossy_forgets_nothing() -> None:
    wrong = judged(story(lossy=False)).wrong
    assert any("which the store never gave out" in sentence for sentence in wrong)
    assert any("1 decisions were made anew" in sentence for sentence in wrong)


def test_without_recorded_changes_nothing_is_said_of_claims() -> None:
    assert judged(story(lossy=False, changes=[], client_lines=[])).holds


def test_at_most_once_may_begin_twice_across_a_lossy_failover_only() -> None:
    def twice(*, lossy: bool, first_epoch: int) -> Finding:
        told = sound(versions=[version_row(on_lost="fail")])
        lines = [line for line in told["worker_lines"] if line.get("run") != 1]
        told["worker_lines"] = [
            *lines,
            start(1, 10, epoch=first_epoch, mono=1),
            start(1, 10, epoch=EPOCH, mono=2),
            *(replace(line, mono=3) for line in journal_of(told["runs"][0]) if line.what == "end"),
        ]
        return verify(History(**told, bounds=Bounds(lossy=lossy)))["I7"]

    assert twice(lossy=True, first_epoch=EPOCH - 1).holds
    assert not twice(lossy=True, first_epoch=EPOCH).holds, "within one epoch it never may"
    assert not twice(lossy=False, first_epoch=EPOCH - 1).holds
