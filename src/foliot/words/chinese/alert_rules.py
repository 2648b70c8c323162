"""Alert rules and policies of jobs in Chinese."""

from typing import Final

from foliot.words.templates import Catalogue

SENTENCES: Final[Catalogue] = {
    "rule": (
        "{when}[，限 {of}][，持续 {for_us:span}][，{after} 次][（{within_us:span}内）]：{level}，{told}"
        "[；每 {remind_us:span}提醒][；{escalate:list}][；{do}][{hours}][{over}][{off}]"
    ),
    "told": "通知 {to:list}",
    "told_default": "通知默认渠道",
    "hours": "；非工作时间只立即通知严重告警",
    "not_over": "；恢复时不通知",
    "off": "；已停用",
    "step": "{after_us:span}后通知 {to:list}[，级别 {level}]",
    "do_retry": "重试执行，最多 {most} 次",
    "do_pause": "暂停任务",
    "do_drain": "排空节点",
    "do_trigger": "触发 {target}",
    "do_webhook": "调用渠道 {target}",
    "of_job": "任务 {job}",
    "of_group": "分组 {group}",
    "of_node": "节点 {node}",
    "of_tags": "标记 {tags:list}",
    "when_failed": "执行失败",
    "when_failed_of": "任务最近 {of_last} 次执行中有 {times} 次失败",
    "when_late": "执行晚于触发点 {longer_than_us:span}仍未开始",
    "when_slower": "执行用时超过 {longer_than_us:span}",
    "when_slower_pace": "执行用时达到该任务 {percentile}% 执行用时的 {factor:number} 倍",
    "when_silent": "任务 {longer_than_us:span}内没有成功的执行",
    "when_queue": "分组中等待最久的执行超过 {longer_than_us:span}",
    "when_node": "节点处于 {word}",
    "when_leader": "{longer_than_us:span}没有主节点",
    "when_store": "存储 {longer_than_us:span}不可用",
    "when_check": "检查 {word} 的结果为 {grade} 或更差",
    "when_check_any": "有检查的结果为 {grade} 或更差",
    "when_certificate": "证书将在 {longer_than_us:span}内到期",
    "when_failover": "按策略需要人处理的故障",
    "when_anomaly": "任务与自身历史不同[（{word}）]",
    "when_heartbeat": "Foliot 之外任务的检查项处于故障状态[（{word}）]",
    "when_channel": "渠道无法送达",
    "when_metric": "{metric}",
    "policy": "{on:list}[，{after} 次][（{within_us:span}内）]；{told}[{over}]",
    "policy_over": "；恢复时也通知",
}
