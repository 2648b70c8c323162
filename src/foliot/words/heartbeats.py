"""Checks of jobs outside of Foliot in words: one sentence about how one is."""

from typing import Final

from foliot.domain.heartbeats.check import CheckState, CheckTrouble
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.heartbeats import WatchedCheck
from foliot.words.language import Language
from foliot.words.phrases import phrase

TEXT_MAX: Final = 200


def check_sentence(seen: WatchedCheck, language: Language) -> str:
    """How a check is now, with its times."""
    heard, now, trouble = seen.heard, seen.now, seen.trouble
    is_down = seen.state is CheckState.DOWN and trouble is not None
    values = {
        "ago_us": _since(heard.last_at, now),
        "due_us": _until(heard.due_at, now),
        "ran_us": _since(heard.started_at, now),
        "left_us": _until(heard.deadline_at, now),
        "late_us": _since(heard.due_at, now),
        "down_us": _since(heard.alarm_at, now),
        "exit_code": heard.exit_code,
        "text": " ".join(heard.last_text.split())[:TEXT_MAX].rstrip(".") or None,
    }
    key = str(trouble) if is_down else str(seen.state)
    if is_down and trouble is CheckTrouble.OVERRUN and heard.started_at is None:
        key = str(CheckTrouble.MISSED)
    return phrase(f"check_{key}", values, language)


def _since(at: Instant | None, now: Instant) -> Micros | None:
    return None if at is None else max(0, now - at)


def _until(at: Instant | None, now: Instant) -> Micros | None:
    return None if at is None else max(0, at - now)
