"""Sentences about alerts in Chinese: what is wrong, with its numbers; and the next step."""

from foliot.words.templates import Catalogue

SENTENCES: Catalogue = {
    "failed": ("{subject} 及另外 {others} 个任务失败[：{error}]", "{subject} 失败[：{error}]"),
    "failed_lost": (
        "{subject} 及另外 {others} 个任务的执行随节点 {node} 丢失",
        "{subject} 的执行随节点 {node} 丢失",
        "{subject} 的执行丢失",
    ),
    "late_no_worker": (
        "{subject} 及另外 {others} 个任务[已等 {lasts_us:span}，]未能开始：分组 {of} 没有可用的工作节点",
        "{subject} [已等 {lasts_us:span}，]未能开始：分组 {of} 没有可用的工作节点",
    ),
    "late_busy": (
        "{subject} 及另外 {others} 个任务[已等 {lasts_us:span}，]未能开始：分组 {of} 的工作节点都在忙",
        "{subject} [已等 {lasts_us:span}，]未能开始：分组 {of} 的工作节点都在忙",
    ),
    "late_earlier_run": "{subject} [已等 {lasts_us:span}，]未能开始：它较早的执行还在继续",
    "late_assigned": "{subject} [已等 {lasts_us:span}，]未能开始：它在等某一个工作节点",
    "late_undecided": "{subject} 已到触发点[ {lasts_us:span}]，还没有服务器做出决定",
    "late": (
        "{subject} 及另外 {others} 个任务[已等 {lasts_us:span}，]未能开始",
        "{subject} [已等 {lasts_us:span}，]未能开始",
    ),
    "slower": "{subject} 已执行[ {lasts_us:span}]，超过允许的时长",
    "silent": "{subject} [已有 {lasts_us:span}]没有成功",
    "queue": "分组 {subject} 的执行[已等待 {lasts_us:span}]",
    "node": ("节点 {subject} 的状态为 {band}", "节点 {subject} 状态不佳"),
    "node_dead": "节点 {subject} 失联：它的执行已转移",
    "leader": "集群[有 {lasts_us:span}]没有主节点",
    "store": "存储[有 {lasts_us:span}]无法连到",
    "check": ("检查 {subject} 的级别为{grade}[：{about}]", "检查 {subject} 未通过[：{about}]"),
    "failover": (
        "故障转移需要人来处理：{subject} 的 {type}[，已持续 {lasts_us:span}]",
        "{subject} 的故障转移需要人来处理",
    ),
    "anomaly": "{subject} 与平常不同",
    "anomaly_duration": "{subject} 的用时比平时长[：{now_us:span}，平时 {usual_us:span}]",
    "anomaly_failures": "{subject} 的失败比平时多[：{runs} 次执行中有 {failed} 次]",
    "anomaly_count": "{subject} 的执行次数与平时不同[：{runs} 次，平时 {usual} 次]",
    "anomaly_lateness": "{subject} 开始前的等待比平时长[：{now_us:span}，平时 {usual_us:span}]",
    "anomaly_silence": "{subject} 没有执行，而平时这个时间有",
    "heartbeat": "检查项 {subject} 处于故障状态",
    "heartbeat_missed": "Foliot 之外的任务 {subject} 未按时报到",
    "heartbeat_failed": "Foliot 之外的任务 {subject} 失败[，退出码 {exit_code}][：{error}]",
    "heartbeat_overrun": "Foliot 之外的任务 {subject} 已开始，但未按时结束",
    "channel": "渠道 {subject} 无法连到",
    "metric": ("{subject} 的值为 {value}", "{subject} 超出界限"),
}

NEXT_STEPS: Catalogue = {
    "failed": ("查看日志：foliot run logs {run}", "查看执行：foliot job show {subject}"),
    "late": "查看原因：foliot job why {subject}",
    "slower": ("查看执行：foliot run show {run}", "查看任务：foliot job show {subject}"),
    "silent": "查看原因：foliot job why {subject}",
    "queue": "查看工作节点：foliot node list",
    "node": "查看节点：foliot node show {subject}",
    "leader": "查看主节点：foliot cluster status",
    "store": "检查存储：foliot cluster doctor",
    "check": "检查集群：foliot cluster doctor",
    "failover": "查看故障转移：foliot cluster failovers",
    "anomaly": "查看有何不同：foliot job anomalies {subject}",
    "heartbeat": "查看报到记录：foliot check show {subject}",
    "channel": "测试渠道：foliot alert channel test {subject}",
    "metric": "查看节点：foliot node list",
}
