"""Messages of alerts in English."""

from collections.abc import Mapping
from typing import Final

HEADS: Final[Mapping[str, str]] = {
    "fired": "[{level}] {title}",
    "reminded": "[{level}] still: {title}",
    "escalated": "[{level}] nobody looked after it: {title}",
    "resolved": "[over] {title}",
}
WORDS: Final[Mapping[str, str]] = {
    "critical": "critical",
    "warning": "warning",
    "info": "info",
    "job": "job",
    "namespace": "namespace",
    "rule": "rule",
    "cause": "cause",
    "due": "due",
    "began": "since",
    "over": "over since",
    "by": "ended by",
    "reason": "reason",
    "count": "seen",
    "subjects": "also",
    "run": "run",
    "next": "next step",
    "link": "open in Foliot",
    "runbook": "runbook",
    "log": "last lines of the log",
    "repeat": "[possible repeat]",
    "digest": "{count} alerts",
    "digest_more": "and {count} more",
    "test": "Foliot: a test of the channel {channel}",
    "test_text": "{by} asked for this test. The channel works.",
    "alive": "Foliot lives",
    "alive_text": "The cluster is well, says its leader {node}.",
    "report": "Foliot: a report",
    "own_store": "Foliot: the server {node} cannot reach its store",
    "own_leader": "Foliot: the server {node} sees no leader",
    "own_over": "Foliot: the server {node} works as usual again",
    "own_text": "This comes from the server itself, past the outbox. Other servers may say the same.",
}
HELD_BACK: Final[Mapping[str, str]] = {}
"""What delivery says of a notice that it does not send now is English already."""
