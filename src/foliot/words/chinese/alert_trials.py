"""What a rule would find at a run, in Chinese."""

from typing import Final

from foliot.words.templates import Catalogue

SENTENCES: Final[Catalogue] = {
    "no.on": "规则已停用",
    "no.namespace": "规则属于命名空间 {rule}，执行属于命名空间 {job}",
    "yes.job": "任务 {name} 符合 {pattern}",
    "no.job": "任务 {name} 不符合 {pattern}",
    "yes.group": "分组 {name} 符合 {pattern}",
    "no.group": "分组 {name} 不符合 {pattern}",
    "yes.tag": "任务有标记 {tag}={wanted}",
    "no.tag": "任务的标记 {tag} [为 {found}，]不是 {wanted}",
    "yes.failed": "执行失败了",
    "no.failed": "执行的状态是“{state}”，没有失败",
    "yes.failed_of": "最近 {runs} 次执行中有 {failed} 次失败；规则要求 {of_last} 次中有 {times} 次",
    "no.failed_of": (
        "执行的状态是“{state}”，最近 {runs} 次执行中有 {failed} 次失败；规则要求 {of_last} 次中有 {times} 次"
    ),
    "yes.late": "晚了 {late_us:span}才开始，超过 {longer_than_us:span}",
    "no.late": "晚了 {late_us:span}开始，没有超过 {longer_than_us:span}",
    "no.not_started": "执行尚未开始",
    "yes.slower": "用时 {took_us:span}，超过 {longer_than_us:span}",
    "no.slower": "用时 {took_us:span}，没有超过 {longer_than_us:span}",
    "no.no_pace": "该任务还没有其他成功的执行，不知道通常用时",
    "yes.slower_pace": (
        "用时 {took_us:span}；{percentile}% 的执行用时不超过 {usual_us:span}，因此界限是 {longer_than_us:span}"
    ),
    "no.slower_pace": (
        "用时 {took_us:span}；{percentile}% 的执行用时不超过 {usual_us:span}，没有超过界限 {longer_than_us:span}"
    ),
    "yes.silent": "{silent_us:span}没有成功的执行，超过 {longer_than_us:span}",
    "no.silent": "{silent_us:span}没有成功的执行，没有超过 {longer_than_us:span}",
    "no.silent_over": "这次执行成功了",
    "no.silent_unknown": "保留的记录中，该任务从未成功过",
    "no.unknown": "{kind} 类条件要看多次执行：一次执行说明不了",
    "no.not_of_runs": "{kind} 类条件不针对执行",
    "yes.after": "[{within_us:span}内]失败 {failed} 次；规则要求 {after} 次",
    "no.after": "[{within_us:span}内]失败 {failed} 次；规则要求 {after} 次",
    "yes.after_unknown": "规则要求[在 {within_us:span}内]出现 {after} 次",
    "no.silence": "静默 {id} 使其不被通知：{reason}",
}
