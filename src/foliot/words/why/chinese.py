"""Explanations in Chinese: one sentence each, as in `english`."""

from collections.abc import Callable, Mapping
from typing import Final

from foliot.domain.instants import Instant, Micros
from foliot.domain.limits import limit_name
from foliot.domain.why.facts import Explanation, Hold, Neighbour, RunFacts, SkipFacts
from foliot.domain.why.reasons import read_reason
from foliot.words.humane import Clockface, human_duration
from foliot.words.language import Language
from foliot.words.why.pieces import bare, run_of, schedule_of, skip_of

Say = Callable[[Explanation, Clockface], str]

_REASONS: Final = {
    "overlap": "重叠",
    "misfire": "错过",
    "calendar": "日历",
    "blackout": "封闭时段",
    "paused": "暂停",
    "edited": "修改",
    "limit": "限额",
}


def sentence(explanation: Explanation, clock: Clockface) -> str:
    """The whole answer in one line."""
    return f"{_head(explanation, clock)}{SAY[explanation.verdict](explanation, clock)}{_kept(explanation.run)}。"


_KEPT: Final = {
    "begun": "该执行此前已尝试过",
    "pinned": "该版本是指定的",
    "shards": "最新版本的分片数不同",
    "line": "同一执行的其他部分此前已开始",
    "merge": "最新版本没有合并步骤",
}


def _kept(run: RunFacts | None) -> str:
    if run is None or run.kept is None:
        return ""
    return f"；保留版本 {run.kept.version}（最新为 {run.kept.newest}）：{_KEPT[run.kept.reason]}"


def _lasting(micros: Micros) -> str:
    return human_duration(micros, Language.CHINESE)


# -------------------------------------------------------------------------------------------------------------- heads


def _head(said: Explanation, clock: Clockface) -> str:
    if said.is_range:
        skip = skip_of(said)
        shown = f"{clock.short(skip.from_at)}–{clock.full(skip.to_at, beside=skip.from_at)}"
        return f"{shown}  共 {skip.count} 个触发点"
    if said.at is not None:
        created = f"已创建 {said.run.id}{_late(said.late_us)}，" if said.run else ""
        return f"{clock.full(said.at)}  {created}"
    if said.run is None:  # about the job as a whole
        return ""
    run = said.run
    return f"{said.job} 的 {run.id}{_part(run)}，{_origin(run, clock)}，"


def _part(run: RunFacts) -> str:
    if run.parent is None:
        return ""
    return f"（{run.parent} 的合并）" if run.shard is None else f"（{run.parent} 的分片 {run.shard}）"


def _origin(run: RunFacts, clock: Clockface) -> str:
    if run.is_scheduled:
        return f"到期于 {clock.short(run.due_at)}"
    why = f"（{run.reason}）" if run.reason else ""
    if run.is_backfill:
        return f"补 {clock.short(run.due_at)} 的数{why}"
    return f"由 {run.triggered_by or '未知来源'} 于 {clock.short(run.created_at)} 触发{why}"


def _late(late_us: Micros | None) -> str:
    return f"（{'+' if (late_us or 0) >= 0 else ''}{_lasting(late_us or 0)}）"


# --------------------------------------------------------------------------------------------------------------- runs


def _succeeded(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    tries = f"（第 {run.attempt} 次尝试）" if run.attempt > 1 else ""
    shards = f"，共 {sum(run.shards.values())} 个分片" if run.shards else ""
    return f"{_on(run)}成功，用时 {_took(run)}{tries}{shards}"


def _failed(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    if run.attempt > 1:
        return f"尝试 {run.attempt} 次后失败：{_error(run)}"
    return f"{_on(run)}执行 {_took(run)} 后失败：{_error(run)}"


def _timeout(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    tries = f"（第 {run.attempt} 次尝试）" if run.attempt > 1 else ""
    return f"{_on(run)}执行 {_took(run)} 后超时{tries}"


def _lost(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    node = (run.last_try and run.last_try.node) or run.node or "其工作节点"
    return f"失联：{node} 在执行期间停止响应，无法得知是否完成（on_lost 为 fail）"


def _cancelled(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    at = clock.short(run.ended_at or run.cancel_at or said.now, beside=said.at)
    if run.started_at is None:
        return f"开始之前于 {at} 取消"
    return f"{_on(run)}执行 {_took(run)} 后于 {at} 取消"


def _running(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    since = f"，已 {_lasting(said.now - run.started_at)}" if run.started_at is not None else ""
    tries = f"第 {run.attempt} 次尝试" if run.attempt > 1 else ""
    return f"正{_on(run) or '在'}执行{tries}{since}{_last_try(run)}{_shards(run)}"


def _shards(run: RunFacts) -> str:
    if not run.shards:
        return ""
    left = {state: run.shards[state] for state in ("RUNNING", "PENDING", "FAILED") if run.shards.get(state)}
    words = {"RUNNING": "执行中", "PENDING": "等待", "FAILED": "失败"}
    others = "".join(f"，{count} 个{words[state]}" for state, count in left.items())
    return f"：{sum(run.shards.values())} 个分片中 {run.shards.get('SUCCEEDED', 0)} 个成功{others}"


def _last_try(run: RunFacts) -> str:
    last = run.last_try
    if last is None or run.attempt <= 1:
        return ""
    if last.cause in ("lost", "start_missing"):
        return f"；第 {last.attempt} 次尝试期间 {last.node or '其工作节点'} 停止响应"
    return f"；第 {last.attempt} 次尝试失败：{last.error or last.cause}"


def _starting(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.leased_at is not None
    return f"{_lasting(said.now - run.leased_at)}前已交给 {run.node or '工作节点'}，尚未开始"


def _cancelling(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.cancel_at is not None
    return f"{_lasting(said.now - run.cancel_at)}前已请求停止，仍{_on(run)}执行"


def _thread_goes_on(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.cancel_at is not None
    return f"{_lasting(said.now - run.cancel_at)}前已请求停止；它没有检查 ctx.cancelled。线程无法被强制终止"


def _retrying(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    last = run.last_try
    if last is not None and last.cause in ("lost", "start_missing"):
        what = f"第 {run.attempt} 次尝试期间 {last.node or '其工作节点'} 停止响应"
    else:
        what = f"第 {run.attempt} 次尝试失败：{(last and last.error) or _error(run)}"
    return f"{what}。第 {run.attempt + 1} 次尝试将于 {clock.short(run.not_before, beside=said.at)} 开始"


def _held(what: Callable[[Hold, Explanation, Clockface], str]) -> Say:
    def say(said: Explanation, clock: Clockface) -> str:
        assert said.hold is not None
        return f"等待 {_lasting(said.hold.held_us)}：{what(said.hold, said, clock)}"

    return say


def _line(hold: Hold, said: Explanation, clock: Clockface) -> str:
    ahead = hold.ahead
    assert ahead is not None
    which = f"{clock.short(ahead.due_at, beside=said.at)} 的 {ahead.id}"
    if ahead.state == "RUNNING":
        since = f"（{_lasting(hold.ahead_for_us)}）" if hold.ahead_for_us is not None else ""
        return f"{which} 仍在执行{since}，重叠策略为 {hold.overlap}"
    return f"{which} 排在前面，重叠策略为 {hold.overlap}"


def _handler(hold: Hold, said: Explanation, clock: Clockface) -> str:
    near = f"；最接近：{hold.nearest[1]} 上的 {bare(hold.nearest[0])}" if hold.nearest else ""
    return f"没有工作节点提供 {bare(hold.handler)}（{hold.online} 个在线{near}）"


def _label(hold: Hold, said: Explanation, clock: Clockface) -> str:
    needs = "、".join(f"{key}={value}" for key, value in hold.needs)
    return f"需要 {needs}；{hold.fitting} 个工作节点中 0 个具备"


def _limit(hold: Hold, said: Explanation, clock: Clockface) -> str:
    assert hold.limit is not None
    return f"限额 {limit_name(hold.limit.name)} 已满（{hold.limit.used}/{hold.limit.max}）"


# -------------------------------------------------------------------------------------------------------------- skips


def _skipped_overlap(said: Explanation, clock: Clockface) -> str:
    skip = skip_of(said)
    if skip.overlap == "queue":
        return "已跳过：已有一次执行在等待，重叠策略为 queue（只等一个）"
    who = f"（{clock.short(skip.open_run.due_at, beside=said.at)} 的 {skip.open_run.id}）" if skip.open_run else ""
    return f"已跳过：前一次执行尚未结束{who}，重叠策略为 {skip.overlap}"


def _skipped_misfire(said: Explanation, clock: Clockface) -> str:
    skip = skip_of(said)
    reason = read_reason(skip.why)
    beside = clock.short(reason.instant, beside=said.at) if reason.instant is not None else ""
    words = {
        "stands_for": f"错过；由 {beside} 的触发点代为执行",
        "was_due": f"错过；当时应执行的是 {beside} 的触发点",
        "beyond_window": f"错过超过 {reason.value}",
        "newest_only": f"错过；只补最近 {reason.value} 个",
        "policy": "错过，错过策略为 skip",
        "before_pause": "错过；任务暂停时尚未决定",
        "other": reason.text,
    }[reason.kind]
    decided = f"决定于 {clock.short(skip.decided_at, beside=said.at)}"
    if skip.count > 1 and not said.is_range:
        return f"已跳过：{words}（{_range(skip, said.at, clock)}，{decided}）"
    return f"已跳过：{words}（{decided}）"


def _of_range(said: Explanation, clock: Clockface) -> str:
    return "" if said.is_range else f"（{_range(skip_of(said), said.at, clock)}）"


def _range(skip: SkipFacts, at: Instant | None, clock: Clockface) -> str:
    if skip.count == 1:
        return "1 个触发点"
    first, last = clock.short(skip.from_at, beside=at), clock.short(skip.to_at, beside=at)
    return f"{first} 至 {last} 共 {skip.count} 个触发点"


# ------------------------------------------------------------------------------------------------------ without record


def _before_creation(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    first = f"。首个触发点 {_neighbour(said.first, said, clock)}" if said.first else ""
    return f"未触发：{said.job} 创建于 {clock.short(said.facts.created_at, beside=said.at)}{first}"


def _not_due(said: Explanation, clock: Clockface) -> str:
    around = [
        f"{word} {_neighbour(neighbour, said, clock)}"
        for word, neighbour in (("之前", said.before), ("之后", said.after))
        if neighbour
    ]
    told = "；".join(around)
    return f"未触发：{said.job} 此时未到期" + (f"。{told}" if told else "")


def _neighbour(neighbour: Neighbour | None, said: Explanation, clock: Clockface) -> str:
    assert neighbour is not None
    shown = clock.short(neighbour.at, beside=said.at)
    if neighbour.run is not None:
        return f"{shown}，已创建 {neighbour.run.id}{_late(neighbour.run.created_at - neighbour.at)}"
    if neighbour.skip_reason:
        return f"{shown}，已跳过（{_REASONS.get(neighbour.skip_reason, neighbour.skip_reason)}）"
    return shown


def _paused(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    since = f"自 {clock.short(facts.paused_at, beside=said.at)} 起" if facts.paused_at is not None else ""
    until = f"，至 {clock.short(facts.paused_until, beside=said.at)}" if facts.paused_until is not None else ""
    why = f"（{facts.pause_reason}）" if facts.pause_reason else ""
    return f"未触发：{said.job} {since}暂停{until}{why}"


def _before_start(said: Explanation, clock: Clockface) -> str:
    begins = clock.short(schedule_of(said).start_at or 0, beside=said.at)
    first = f"。首个触发点 {clock.short(said.after.at, beside=said.at)}" if said.after else ""
    return f"未触发：{said.job} 的调度计划始于 {begins}{first}"


def _after_end(said: Explanation, clock: Clockface) -> str:
    ended = clock.short(schedule_of(said).end_at or 0, beside=said.at)
    last = f"。最后的触发点 {clock.short(said.before.at, beside=said.at)}" if said.before else ""
    return f"未触发：{said.job} 的调度计划已于 {ended} 结束{last}"


def _undecided(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    alive = said.facts.servers_alive
    whose = f"{alive} 个调度节点存活" if alive else "没有存活的调度节点"
    return f"已到期 {_lasting(said.now - (said.at or 0))}，尚未决定：{whose}"


def _troubled(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    return f"已到期，但无法决定：{(said.facts.trouble or '').rstrip('.')}"


# ----------------------------------------------------------------------------------------------------- a job as a whole


def _paused_now(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    since = f"自 {clock.full(facts.paused_at)} 起" if facts.paused_at is not None else ""
    until = f"，至 {clock.full(facts.paused_until)}" if facts.paused_until is not None else ""
    why = f"（{facts.pause_reason}）" if facts.pause_reason else ""
    return f"{said.job} {since}暂停{until}{why}"


def _ahead(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    assert said.after is not None
    stands = "状态为已结束"
    if facts.next_due_at is not None:
        stands = f"下次触发定在 {clock.full(facts.next_due_at)}"
    return f"{said.job}：{stands}，而调度计划在 {clock.full(said.after.at)} 就有触发点；存储时钟曾经超前时会这样"


def _quiet(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    assert said.since is not None
    is_young = facts.created_at > said.since
    since = f"{clock.full(facts.created_at)} 创建" if is_young else f" {clock.full(said.since)} "
    ahead = f"；下次 {clock.full(said.after.at)}（{_lasting(said.after.at - said.now)}后）" if said.after else ""
    return f"{said.job}：自{' ' if is_young else ''}{since}以来没有触发点到期{ahead}"


# ------------------------------------------------------------------------------------------------------------- pieces


def _took(run: RunFacts) -> str:
    if run.ended_at is None or run.started_at is None:
        return _lasting(0)
    return _lasting(run.ended_at - run.started_at)


def _on(run: RunFacts) -> str:
    return f"在 {run.node} 上" if run.node else ""


def _error(run: RunFacts) -> str:
    return (run.error or "没有报告错误").rstrip(".")


SAY: Final[Mapping[str, Say]] = {
    "succeeded": _succeeded,
    "failed": _failed,
    "timeout": _timeout,
    "lost": _lost,
    "rejected": lambda said, clock: f"开始之前被拒绝：{_error(run_of(said))}",
    "poison": lambda said, clock: f"已放弃：执行期间有 {run_of(said).deaths} 个工作节点失联",
    "cancelled": _cancelled,
    "running": _running,
    "starting": _starting,
    "cancelling": _cancelling,
    "thread_goes_on": _thread_goes_on,
    "retrying": _retrying,
    "later": lambda said, clock: f"等待其时间：{clock.short(run_of(said).not_before, beside=said.at)}",
    "paced": lambda said, clock: (
        f"补跑，将于 {clock.short(run_of(said).not_before, beside=said.at)} 开始：迟到的执行会错开"
    ),
    "held_line": _held(_line),
    "held_nobody": _held(lambda hold, said, clock: "没有在线的工作节点"),
    "held_group": _held(
        lambda hold, said, clock: f"分组 {hold.group} 没有在线的工作节点（其他分组有 {hold.online} 个）"
    ),
    "held_handler": _held(_handler),
    "held_label": _held(_label),
    "held_draining": _held(lambda hold, said, clock: f"可执行它的工作节点（{hold.fitting} 个）正在排空，不再接收任务"),
    "held_limit": _held(_limit),
    "held_busy": _held(
        lambda hold, said, clock: (
            f"可执行它的工作节点槽位已满（{hold.fitting} 个工作节点，{hold.running}/{hold.slots}）"
        )
    ),
    "held_ready": _held(lambda hold, said, clock: "已就绪，工作节点下次轮询时取走"),
    "skipped_overlap": _skipped_overlap,
    "skipped_misfire": _skipped_misfire,
    "skipped_calendar": lambda said, clock: f"日历跳过：{skip_of(said).why}",
    "skipped_blackout": lambda said, clock: f"封闭时段跳过：{skip_of(said).why}",
    "skipped_paused": lambda said, clock: f"已跳过：{said.job} 处于暂停状态{_of_range(said, clock)}",
    "skipped_edited": lambda said, clock: f"已跳过：{said.job} 的调度计划被修改{_of_range(said, clock)}",
    "skipped_limit": lambda said, clock: f"已跳过：{skip_of(said).why}",
    "before_creation": _before_creation,
    "no_schedule": lambda said, clock: f"未触发：{said.job} 没有调度计划，仅在手动触发时执行",
    "fixed_delay": lambda said, clock: f"未触发：{said.job} 在上次执行结束一段时间后到期，没有固定时间",
    "before_start": _before_start,
    "after_end": _after_end,
    "not_due": _not_due,
    "used_up": lambda said, clock: f"未触发：{said.job} 的调度计划次数已用完",
    "paused": _paused,
    "future": lambda said, clock: f"尚未到期：还有 {_lasting((said.at or 0) - said.now)}",
    "future_closed": lambda said, clock: f"将被日历跳过：{schedule_of(said).ruling(said.at or 0).why}",
    "closed": lambda said, clock: f"日历跳过：{schedule_of(said).ruling(said.at or 0).why}",
    "undecided": _undecided,
    "troubled": _troubled,
    "unscheduled": lambda said, clock: f"{said.job} 没有调度计划：仅在手动触发时执行",
    "paused_now": _paused_now,
    "over": lambda said, clock: f"{said.job} 已结束：调度计划没有更多触发点",
    "quiet": _quiet,
    "ahead": _ahead,
    "forgotten": lambda said, clock: "已决定，但记录已被清除：已结束的执行只保留一段时间",
}
