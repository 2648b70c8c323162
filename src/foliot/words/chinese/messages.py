"""Messages of alerts in Chinese."""

from collections.abc import Mapping
from typing import Final

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
    "job": "任务",
    "namespace": "命名空间",
    "rule": "规则",
    "cause": "原因",
    "due": "触发点",
    "began": "开始于",
    "over": "恢复于",
    "by": "结束人",
    "reason": "原因",
    "count": "次数",
    "subjects": "还有",
    "run": "执行",
    "next": "下一步",
    "link": "在 Foliot 中打开",
    "runbook": "处理手册",
    "log": "日志末尾",
    "repeat": "【可能重复】",
    "digest": "{count} 条告警",
    "digest_more": "另有 {count} 条",
    "test": "Foliot：渠道 {channel} 的测试消息",
    "test_text": "{by} 发起了这次测试。渠道工作正常。",
    "alive": "Foliot 运行正常",
    "alive_text": "主节点 {node} 报告：集群一切正常。",
    "report": "Foliot：报告",
    "own_store": "Foliot：服务器 {node} 无法访问存储",
    "own_leader": "Foliot：服务器 {node} 看不到主节点",
    "own_over": "Foliot：服务器 {node} 已恢复正常",
    "own_text": "此消息由服务器自行发出，未经发件箱；其他服务器可能也会发出相同的消息。",
}
HELD_BACK: Final[Mapping[str, str]] = {
    "the channel is gone": "该渠道已不存在",
    "the channel is off": "该渠道已停用",
    "it is less grave than the channel wants": "级别低于该渠道的要求",
    "it waits for the hours of the channel": "等待该渠道的工作时间",
    "it waits for the digest of the channel": "等待该渠道的汇总",
    "it waits for the rate of the channel": "等待该渠道的发送频率",
}
"""What delivery says of a notice that it does not send now."""
