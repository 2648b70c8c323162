"""Alert rules and policies of jobs in English."""

from typing import Final

from foliot.words.templates import Catalogue

SENTENCES: Final[Catalogue] = {
    "rule": (
        "{when}[, of {of}][, for {for_us:span}][, {after} times][ within {within_us:span}]: {level}, {told}"
        "[; reminds every {remind_us:span}][; {escalate:list}][; {do}][{hours}][{over}][{off}]"
    ),
    "told": "tells {to:list}",
    "told_default": "tells the default channels",
    "hours": "; outside working hours only critical ones at once",
    "not_over": "; does not tell when it is over",
    "off": "; it is off",
    "step": "after {after_us:span} {to:list}[ as {level}]",
    "do_retry": "retries the run, {most} at most",
    "do_pause": "pauses the job",
    "do_drain": "drains the node",
    "do_trigger": "triggers {target}",
    "do_webhook": "calls the channel {target}",
    "of_job": "job {job}",
    "of_group": "group {group}",
    "of_node": "node {node}",
    "of_tags": "tags {tags:list}",
    "when_failed": "a run failed",
    "when_failed_of": "{times} of the last {of_last} runs of a job failed",
    "when_late": "a run starts {longer_than_us:span} late",
    "when_slower": "a run takes longer than {longer_than_us:span}",
    "when_slower_pace": "a run takes {factor:number} times as long as {percentile} % of the runs of its job",
    "when_silent": "no run of a job succeeded for {longer_than_us:span}",
    "when_queue": "the oldest ready run of a group waits longer than {longer_than_us:span}",
    "when_node": "a node is {word}",
    "when_leader": "no server leads for {longer_than_us:span}",
    "when_store": "the store was away for {longer_than_us:span}",
    "when_check": "the check {word} of the doctor finds {grade} or worse",
    "when_check_any": "a check of the doctor finds {grade} or worse",
    "when_certificate": "a certificate ends within {longer_than_us:span}",
    "when_failover": "a failure needs a person by its policy",
    "when_anomaly": "a job differs from its own past[ ({word})]",
    "when_heartbeat": "a check of a job outside of Foliot is down[ ({word})]",
    "when_channel": "a channel cannot be reached",
    "when_metric": "{metric}",
    "policy": "{on:list}[, {after} times][ within {within_us:span}]; {told}[{over}]",
    "policy_over": "; tells also when it is over",
}
