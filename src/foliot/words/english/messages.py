"""Messages of alerts in English."""

from collections.abc import Mapping
from typing import Final

TITLES: Final[Mapping[str, str]] = {
    "failed": "{subject} failed",
    "late": "{subject} is late",
    "slower": "{subject} takes too long",
    "silent": "{subject} did not succeed for too long",
    "queue": "runs of {subject} wait too long",
    "node": "the node {subject} is not well",
    "leader": "nobody leads the cluster",
    "store": "the store was away",
    "check": "the check {subject} is not good",
    "failover": "a failover of {subject} needs a person",
    "anomaly": "{subject} is unusual",
    "heartbeat": "{subject}, a job outside of Foliot, was not heard of",
    "channel": "the channel {subject} cannot be reached",
    "metric": "{subject} is beyond its bound",
}
"""By the condition of the rule."""

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
    "more": "{subject} and {count} more",
    "unknown": "something",
    "job": "job",
    "namespace": "namespace",
    "rule": "rule",
    "cause": "cause",
    "due": "due",
    "began": "since",
    "over": "over since",
    "count": "seen",
    "subjects": "also",
    "run": "run",
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
