"""What a rule would find at a run, in English."""

from typing import Final

from foliot.words.templates import Catalogue

SENTENCES: Final[Catalogue] = {
    "no.on": "the rule is off",
    "no.namespace": "the rule is of namespace {rule}, the run of namespace {job}",
    "yes.job": "job {name} fits {pattern}",
    "no.job": "job {name} does not fit {pattern}",
    "yes.group": "group {name} fits {pattern}",
    "no.group": "group {name} does not fit {pattern}",
    "yes.tag": "the job has the tag {tag}={wanted}",
    "no.tag": "the job's tag {tag} is [{found}, ]not {wanted}",
    "yes.failed": "the run failed",
    "no.failed": "the run is {state}, not failed",
    "yes.failed_of": "{failed} of the last {runs} runs failed; the rule asks for {times} of {of_last}",
    "no.failed_of": (
        "the run is {state}, and {failed} of the last {runs} failed; the rule asks for {times} of {of_last}"
    ),
    "yes.late": "it started {late_us:span} late, which is more than {longer_than_us:span}",
    "no.late": "it started {late_us:span} late, which is not more than {longer_than_us:span}",
    "no.not_started": "the run has not started",
    "yes.slower": "it took {took_us:span}, which is more than {longer_than_us:span}",
    "no.slower": "it took {took_us:span}, which is not more than {longer_than_us:span}",
    "no.no_pace": "no other run of the job succeeded yet, so nothing is known of its usual pace",
    "yes.slower_pace": (
        "it took {took_us:span}; {percentile} % of its runs take up to {usual_us:span}, so the bound is "
        "{longer_than_us:span}"
    ),
    "no.slower_pace": (
        "it took {took_us:span}; {percentile} % of its runs take up to {usual_us:span}, so it is within the bound of "
        "{longer_than_us:span}"
    ),
    "yes.silent": "no run had succeeded for {silent_us:span}, which is more than {longer_than_us:span}",
    "no.silent": "no run had succeeded for {silent_us:span}, which is not more than {longer_than_us:span}",
    "no.silent_over": "this run succeeded",
    "no.silent_unknown": "no run of the job has ever succeeded, as far as runs are kept",
    "no.unknown": "a condition of kind {kind} looks at many runs together: one run does not say",
    "no.not_of_runs": "a condition of kind {kind} is not asked of runs",
    "yes.after": "it failed {failed} times[ within {within_us:span}]; the rule asks for {after}",
    "no.after": "it failed {failed} times[ within {within_us:span}]; the rule asks for {after}",
    "yes.after_unknown": "the rule asks that it is seen {after} times[ within {within_us:span}]",
    "no.silence": "silence {id} keeps it from being told: {reason}",
}
