"""Messages of alerts in Chinese."""

from collections.abc import Mapping
from typing import Final

TITLES: Final[Mapping[str, str]] = {
    "failed": "{subject} 失败",
    "late": "{subject} 未按时启动",
    "slower": "{subject} 执行时间过长",
    "silent": "{subject} 过久没有成功",
    "queue": "{subject} 的执行等待过久",
    "node": "节点 {subject} 状态不佳",
    "leader": "集群没有主节点",
    "store": "存储曾经不可用",
    "check": "检查 {subject} 未通过",
    "failover": "{subject} 的故障转移需要人工处理",
    "anomaly": "{subject} 出现异常",
    "heartbeat": "Foliot 之外的任务 {subject} 没有报到",
    "channel": "通道 {subject} 无法送达",
    "metric": "{subject} 超出界限",
}

HEADS: Final[Mapping[str, str]] = {
    "fired": "【{level}】{title}",
    "reminded": "【{level}】仍未恢复：{title}",
    "escalated": "【{level}】无人处理：{title}",
    "resolved": "【恢复】{title}",
}
WORDS: Final[Mapping[str, str]] = {
    "critical": "严重",
    "warning": "警告",
    "info": "提示",
    "more": "{subject} 等 {count} 项",
    "unknown": "未知对象",
    "job": "任务",
    "namespace": "命名空间",
    "rule": "规则",
    "cause": "原因",
    "due": "触发点",
    "began": "开始于",
    "over": "恢复于",
    "count": "次数",
    "subjects": "还有",
    "run": "执行",
    "link": "在 Foliot 中打开",
    "runbook": "处理手册",
    "log": "日志末尾",
    "repeat": "【可能重复】",
    "digest": "{count} 条告警",
    "digest_more": "另有 {count} 条",
    "test": "Foliot：通道 {channel} 的测试消息",
    "test_text": "{by} 发起了这次测试。通道工作正常。",
    "alive": "Foliot 运行正常",
    "alive_text": "主节点 {node} 报告：集群一切正常。",
    "report": "Foliot：报告",
    "own_store": "Foliot：服务器 {node} 无法访问存储",
    "own_leader": "Foliot：服务器 {node} 看不到主节点",
    "own_over": "Foliot：服务器 {node} 已恢复正常",
    "own_text": "此消息由服务器自行发出，未经发件箱；其他服务器可能也会发出相同的消息。",
}
