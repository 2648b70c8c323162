"""Sentences about alerts in English: what is wrong, with its numbers; and the next step."""

from foliot.words.templates import Catalogue

SENTENCES: Catalogue = {
    "failed": "{subject}[ and {others|other job|other jobs}] failed[: {error}]",
    "failed_lost": "{subject}[ and {others|other job|other jobs}] lost a run[ with the node {node}]",
    "late_no_worker": (
        "{subject}[ and {others|other job|other jobs}] did not start[ for {lasts_us:span}]: "
        "no worker of {of} takes runs"
    ),
    "late_busy": (
        "{subject}[ and {others|other job|other jobs}] did not start[ for {lasts_us:span}]: "
        "the workers of {of} are busy"
    ),
    "late_earlier_run": "{subject} did not start[ for {lasts_us:span}]: an earlier run of it goes on",
    "late_assigned": "{subject} did not start[ for {lasts_us:span}]: it waits for one worker",
    "late_undecided": "{subject} is due[ for {lasts_us:span}], and no server has decided it",
    "late": "{subject}[ and {others|other job|other jobs}] did not start[ for {lasts_us:span}]",
    "slower": "{subject} runs[ for {lasts_us:span}], longer than it may",
    "silent": "{subject} had no success[ for {lasts_us:span}]",
    "queue": "runs of the group {subject} wait[ for {lasts_us:span}]",
    "node": ("the node {subject} is {band}", "the node {subject} is not well"),
    "node_dead": "the node {subject} is dead: its runs were moved",
    "leader": "nobody led the cluster[ for {lasts_us:span}]",
    "store": "the store was away[ for {lasts_us:span}]",
    "check": ("the check {subject} is {grade}[: {about}]", "the check {subject} is not good[: {about}]"),
    "failover": (
        "a failover needs a person: {type} of {subject}[, for {lasts_us:span}]",
        "a failover of {subject} needs a person",
    ),
    "anomaly": "{subject} is not as usual",
    "anomaly_duration": "{subject} takes longer than usual[: {now_us:span}, usually {usual_us:span}]",
    "anomaly_failures": "{subject} fails more often than usual[: {failed} of {runs|run|runs}]",
    "anomaly_count": "the number of runs of {subject} is not as usual[: {runs|run|runs}, usually {usual}]",
    "anomaly_lateness": "{subject} waits longer than usual for its start[: {now_us:span}, usually {usual_us:span}]",
    "anomaly_silence": "{subject} does not run although it usually does at this time",
    "heartbeat": "the check {subject} is down",
    "heartbeat_missed": "{subject}, a job outside of Foliot, was not heard of in time",
    "heartbeat_failed": "{subject}, a job outside of Foliot, failed[ with exit code {exit_code}][: {error}]",
    "heartbeat_overrun": "{subject}, a job outside of Foliot, began and did not end in time",
    "channel": "the channel {subject} cannot be reached",
    "metric": ("{subject} is {value}", "{subject} is beyond its bound"),
}
"""By condition; where the cause has a reason of its own, by both."""

NEXT_STEPS: Catalogue = {
    "failed": ("read its log: foliot run logs {run}", "see its runs: foliot job show {subject}"),
    "late": "ask why: foliot job why {subject}",
    "slower": ("look at it: foliot run show {run}", "look at it: foliot job show {subject}"),
    "silent": "ask why: foliot job why {subject}",
    "queue": "see who takes runs: foliot node list",
    "node": "look at it: foliot node show {subject}",
    "leader": "see who leads: foliot cluster status",
    "store": "examine it: foliot cluster doctor",
    "check": "examine it: foliot cluster doctor",
    "failover": "look at it: foliot cluster failovers",
    "anomaly": "see what differs: foliot job anomalies {subject}",
    "heartbeat": "see what was heard of it: foliot check show {subject}",
    "channel": "try it: foliot alert channel test {subject}",
    "metric": "look at the nodes: foliot node list",
}
