"""Histories in which more is taken of a limit than there is, or runs start faster than their rate."""

from dataclasses import replace
from typing import Any

from foliot_check.history import SECOND, Change

T0 = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z


def limited(story: dict[str, Any], *limits: dict[str, Any]) -> None:
    """Both runs take two of a limit that has three, one after the other."""
    story["lanes"] = [{"id": 7, "document": '{"limits": ["res:db", "res:db"]}'}]
    story["limits"] = [{"name": "res:db", "max": 3, "used": 0, "ver": 9}]
    for row in [*story["runs"], *(change.row for change in story["changes"])]:
        row["lane"] = 7
    story["changes"] += [
        Change(seq=-10 + at, at=T0, table="limits", op="UPDATE", row={"name": "res:db", "ver": at, **row})
        for at, row in enumerate(limits or ({"max": 3, "used": 0}, {"max": 3, "used": 2}, {"max": 3, "used": 0}))
    ]


def limit_passed_by_its_row(story: dict[str, Any]) -> None:
    limited(story, {"max": 3, "used": 2}, {"max": 3, "used": 4})


def heavy_runs_side_by_side(story: dict[str, Any]) -> None:
    """The first run ends only after the second was taken."""
    limited(story)
    end = story["changes"][2]
    story["changes"][2] = replace(end, seq=20)


def limit_given_back_by_half(story: dict[str, Any]) -> None:
    limited(story)
    story["limits"][0]["used"] = 1


def placed(story: dict[str, Any], **place: Any) -> None:
    """The job of both runs, which start one after the other, has these limits."""
    for version in story["versions"]:
        version["definition"] = {**version["definition"], "place": place}


def key_with_two_runs(story: dict[str, Any]) -> None:
    """The first run ends only after the second was taken."""
    placed(story, max_per_key=1, concurrency_by="customer")
    story["changes"][2] = replace(story["changes"][2], seq=20)


def worker_with_two_runs(story: dict[str, Any]) -> None:
    placed(story, max_per_worker=1)
    story["changes"][2] = replace(story["changes"][2], seq=20)


def runs_faster_than_their_rate(story: dict[str, Any]) -> None:
    placed(story, rate="1/h")
