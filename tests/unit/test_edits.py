"""What an edit means for what waits: the table of cases, and what holds for every edit."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import pytest

from foliot.domain.edits import AfterEdit, Keeps, Part, Takes, Waiting, after_edit, tightens
from foliot.domain.job import Definition
from foliot.domain.policies.overlap import Overlap

ALLOW = Definition(handler="python:jobs:tick", overlap=Overlap.ALLOW)
QUEUE = replace(ALLOW, overlap=Overlap.QUEUE)
REPLACE = replace(ALLOW, overlap=Overlap.REPLACE)
EXCLUSIVE = replace(QUEUE, exclusive=True)
TIMED = replace(QUEUE, timeout_us=1)

PLAIN = Waiting()
SIDE_BY_SIDE = Waiting(overlaps=True)
LATER = Waiting(is_in_line=False)
PINNED = Waiting(is_pinned=True)
SHARD = Waiting(part=Part.SHARD)
PARENT = Waiting(part=Part.PARENT)
BEGUN = Waiting(part=Part.SHARD, has_begun=True)
MERGE = Waiting(part=Part.MERGE, has_begun=True)


def cut(definition: Definition, shards: int = 4, merge: str | None = "python:jobs:join") -> Definition:
    return replace(definition, shards=shards, merge=merge)


class Case(NamedTuple):
    said: str
    run: Waiting
    old: Definition | None
    new: Definition
    after: AfterEdit


CASES = [
    Case("what changes no line is taken in place", PLAIN, QUEUE, TIMED, Takes(overlaps=False)),
    Case("an old version nobody can read is left", PLAIN, None, TIMED, Takes(overlaps=False)),
    Case("side by side from now on", PLAIN, QUEUE, ALLOW, Takes(overlaps=True)),
    Case("one after the other from now on", SIDE_BY_SIDE, ALLOW, QUEUE, Takes(overlaps=False)),
    Case("replaced from now on", SIDE_BY_SIDE, ALLOW, REPLACE, Takes(overlaps=False)),
    Case("an overlap that was asked for stays", SIDE_BY_SIDE, QUEUE, TIMED, Takes(overlaps=True)),
    Case("exclusive ends it", SIDE_BY_SIDE, QUEUE, EXCLUSIVE, Takes(overlaps=False)),
    Case("exclusive from now on", PLAIN, QUEUE, EXCLUSIVE, Takes(overlaps=False)),
    Case("exclusive as before", PLAIN, EXCLUSIVE, replace(EXCLUSIVE, timeout_us=1), Takes(overlaps=False)),
    Case("not exclusive any more", PLAIN, EXCLUSIVE, QUEUE, Takes(overlaps=False)),
    Case("for later: no place to leave", LATER._replace(overlaps=True), ALLOW, EXCLUSIVE, Takes(overlaps=False)),
    Case("for later: cut when it is due", LATER, QUEUE, cut(QUEUE), Takes(overlaps=False)),
    Case("in line: not cut any more", PLAIN, QUEUE, cut(QUEUE), Keeps.SHARDS),
    Case("in line: not cut for exclusive either", SIDE_BY_SIDE, ALLOW, cut(EXCLUSIVE), Keeps.SHARDS),
    Case("asked for with its version", PINNED, QUEUE, TIMED, Keeps.PINNED),
    Case("asked for, and side by side", PINNED._replace(overlaps=True), ALLOW, QUEUE, Keeps.PINNED),
    Case("asked for, and exclusive by now", PINNED, QUEUE, EXCLUSIVE, Takes(overlaps=False)),
    Case("a shard goes along", SHARD, cut(QUEUE), cut(TIMED), Takes(overlaps=False)),
    Case("a shard side by side", SHARD, cut(QUEUE), cut(ALLOW), Takes(overlaps=True)),
    Case("a shard of another number", SHARD, cut(QUEUE), cut(QUEUE, 5), Keeps.SHARDS),
    Case("a shard of a run that is whole now", SHARD, cut(QUEUE), QUEUE, Keeps.SHARDS),
    Case("a shard of nobody knows how many", SHARD, None, cut(QUEUE), Keeps.SHARDS),
    Case(
        "a shard of a run that lines up", SHARD._replace(overlaps=True), cut(ALLOW), cut(QUEUE), Takes(overlaps=False)
    ),
    Case("a shard of a run that has begun", BEGUN._replace(overlaps=True), cut(ALLOW), cut(QUEUE), Keeps.LINE),
    Case("a shard is not exclusive alone", BEGUN, cut(QUEUE), cut(EXCLUSIVE), Keeps.LINE),
    Case("a shard of a run that has begun goes along", BEGUN, cut(QUEUE), cut(TIMED), Takes(overlaps=False)),
    Case("a shard of a version asked for", SHARD._replace(is_pinned=True), cut(QUEUE), cut(TIMED), Keeps.PINNED),
    Case("a parent goes along with its shards", PARENT, cut(QUEUE), cut(QUEUE, merge=None), Takes(overlaps=False)),
    Case("a parent of another number", PARENT, cut(QUEUE), cut(QUEUE, 5), Keeps.SHARDS),
    Case("a parent of a version asked for", PARENT._replace(is_pinned=True), cut(QUEUE), cut(TIMED), Keeps.PINNED),
    Case("a merge goes along", MERGE, cut(QUEUE), cut(QUEUE, merge="python:jobs:other"), Takes(overlaps=False)),
    Case("a merge that is no more", MERGE, cut(QUEUE), cut(QUEUE, merge=None), Keeps.MERGE),
    Case("a merge of another number", MERGE, cut(QUEUE), cut(QUEUE, 5), Keeps.SHARDS),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.said)
def test_what_becomes_of_a_waiting_run(case: Case) -> None:
    assert after_edit(case.run, case.old, case.new) == case.after


@pytest.mark.parametrize(
    ("before", "new", "is_tighter"),
    [
        (ALLOW, QUEUE, True),
        (ALLOW, EXCLUSIVE, True),
        (QUEUE, EXCLUSIVE, True),
        (QUEUE, REPLACE, False),
        (QUEUE, ALLOW, False),
        (EXCLUSIVE, QUEUE, False),
        (EXCLUSIVE, EXCLUSIVE, False),
        (None, QUEUE, True),
        (None, ALLOW, False),
    ],
)
def test_an_edit_that_forbids_an_overlap_lets_what_waits_line_up_anew(
    before: Definition | None, new: Definition, is_tighter: bool
) -> None:
    assert tightens(before, new) is is_tighter


DEFINITIONS = [
    cut(definition, shards, "python:jobs:join" if shards else None)
    for definition in (ALLOW, QUEUE, REPLACE, EXCLUSIVE)
    for shards in (0, 2)
]
RUNS = [
    Waiting(part, is_in_line, is_pinned, overlaps, has_begun)
    for part in Part
    for is_in_line, is_pinned, overlaps, has_begun in itertools.product((True, False), repeat=4)
    if (is_in_line and not (has_begun and part is Part.WHOLE)) or (part is Part.WHOLE and not has_begun)
]


@pytest.mark.parametrize("new", DEFINITIONS)
@pytest.mark.parametrize("old", [*DEFINITIONS, None])
def test_whoever_takes_a_version_is_whole_or_cut_as_it_says_and_overlaps_only_where_it_may(
    old: Definition | None, new: Definition
) -> None:
    for run in RUNS:
        is_part = run.part is not Part.WHOLE
        if is_part and old is not None and not old.shards:
            continue  # there is no such part
        after = after_edit(run, old, new)
        if not isinstance(after, Takes):
            continue
        assert not (after.overlaps and new.exclusive), run
        assert not after.overlaps or run.overlaps or not new.is_serial, run
        assert is_part == bool(new.shards) or not run.is_in_line, run
        assert not (run.has_begun and tightens(old, new)), run
