"""What an edit means for what waits: the table of cases, and what holds for every edit."""

from dataclasses import replace

from foliot.domain.edits import Part, WaitingRun
from foliot.domain.handler import python_function
from foliot.domain.job import Definition
from foliot.domain.policies.overlap import Overlap

ALLOW = Definition(handler=python_function("jobs:tick"), overlap=Overlap.ALLOW)
QUEUE = replace(ALLOW, overlap=Overlap.QUEUE)
REPLACE = replace(ALLOW, overlap=Overlap.REPLACE)
EXCLUSIVE = replace(QUEUE, exclusive=True)
TIMED = replace(QUEUE, timeout_us=1)

PLAIN = WaitingRun()
SIDE_BY_SIDE = WaitingRun(overlaps=True)
LATER = WaitingRun(is_in_line=False)
PINNED = WaitingRun(is_pinned=True)
SHARD = WaitingRun(part=Part.SHARD)
PARENT = WaitingRun(part=Part.PARENT)
BEGUN = WaitingRun(part=Part.SHARD, has_begun=True)
MERGE = WaitingRun(part=Part.MERGE, has_begun=True)


def cut(definition: Definition, shards: int = 4, merge: str | None = "jobs:join") -> Definition:
    return replace(definition, shards=shards, merge=None if merge is None else python_function(merge))
