"""What `foliot db restored` says."""

from collections.abc import Iterator
from typing import Any

from foliot.cli.language import reader_language
from foliot.domain.instants import SECOND, isoformat
from foliot.store.sql.cluster.restore import COUNTED_MAX, Restored
from foliot.words.humane import human_duration
from foliot.words.phrases import phrase


def facts(found: Restored, *, plan: bool) -> dict[str, Any]:
    """For programs."""
    return {
        "done": not plan,
        "epoch": found.epoch,
        "epoch_before": found.epoch_before,
        "term": found.term,
        "live_servers": list(found.servers),
        "sessions": found.sessions,
        "runs": found.runs,
        "jobs_behind": found.overdue,
        "behind_s": found.behind_us / SECOND,
        "oldest_undecided_at": None if found.oldest_due_at is None else isoformat(found.oldest_due_at),
    }


def sentences(found: Restored, *, plan: bool) -> Iterator[str]:
    """For people, in their language."""
    language = reader_language()

    def say(key: str, **values: Any) -> str:
        return phrase(key, values, language)

    way = "_plan" if plan else ""
    yield say(f"restored{way}", epoch=found.epoch, before=found.epoch_before, term=found.term)
    yield say(f"restored_hands{way}", runs=found.runs, sessions=found.sessions)
    if found.oldest_due_at is None:
        yield say("restored_up_to_date")
    else:
        yield say(
            "restored_behind",
            jobs=found.overdue if found.overdue < COUNTED_MAX else f"{COUNTED_MAX - 1}+",
            behind=human_duration(found.behind_us, language),
            since=isoformat(found.oldest_due_at),
        )
    if found.servers:
        yield say("restored_stop_first" if plan else "restored_restart", servers=", ".join(found.servers))
