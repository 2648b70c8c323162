"""Explanations in Chinese, as in `english.why`."""

from typing import Final

from foliot.words.templates import Catalogue

PIECES: Final[Catalogue] = {
    "head.range": "{first_at}–{last_at}  共 {count} 个触发点",
    "head.instant": "{at:full}  [已创建 {run}（{late:lag}），]",
    "head.run": "{job} 的 {run}[（{parent} 的分片 {shard}）][（{merge_of} 的合并）]，{origin}，",
    "route.open": "；工作节点来取执行时才询问路由 {route}[；可选：{among}]",
    "route.named": "；路由 {route} 将它分给 {assignee}，有效期至 {until:short}[（{because}）][，此前为 {before}]；"
    "可选：{among}",
    "route.anyone": "；路由 {route} 将它留给任一合适的工作节点[，此前为 {before}]",
    "route.went": "；由路由 {route} 分到 {node}[，此前为 {before}]",
    "route.moved": "；由路由 {route} 分到 {node}[，此前为 {before}]，该路由于 {moved_at:short} 将任务从 {from} 移到此处"
    "（评分：[原处 {score}，]此处 {score_after}）",
    "because.only": "没有其他合适的工作节点",
    "because.wished": "按任务的偏好没有其他可选",
    "because.least_full": "占用最少",
    "because.first": "按名称排第一",
    "because.last": "按名称排最后",
    "because.turn": "{other} 之后轮到它",
    "because.drawn": "按权重抽取",
    "because.key": "其键为 {key}",
    "because.key_of_job": "任务的所有执行共用一个键",
    "because.fewest_of_job": "得到该任务的执行最少",
    "because.longest_ago": "上次得到该任务的执行最久",
    "because.first_healthy": "按名称第一个不处于 {band} 的",
    "because.first_of_strained": "按名称排第一；全部处于 {band}",
    "because.idle": "按名称第一个空闲的",
    "because.free_slot": "按名称第一个有空槽位的",
    "because.weight": "按权重轮到它",
    "because.fewest_running": "按权重计，正在执行和等待的最少",
    "because.least_load": "询问路由时负载最低",
    "because.stays": "留在原处：{other} 的 {score_of_other} 不低于 {score} 的 {below} 倍",
    "because.moved": "从明显更忙的 {other} 移来",
    "because.probe": "每 {every} 次执行测量一次",
    "because.unmeasured": "占用最少；尚不知各自的快慢",
    "because.soonest": "在那里最早完成",
    "because.untried": "尚不知其快慢",
    "broadcast.open": "；工作节点来取执行时划分：每个合适的在线工作节点一个分片[，目前为 {among}]",
    "broadcast.own": "；该分片只属于 {assignee}",
    "route.candidate": "{name}（{slots} 个槽位占用 {running}[，{waiting} 个等待][，负载 {load}][，权重 {weight}]"
    "[，评分 {score}][，{health}][，偏好分 {preferred}][，{avoided}][，{part} 有该任务的 {own} 个执行]"
    "[，每次执行 {pace:span}]）",
    "strained": "以下工作节点只有部分槽位可得到执行：{workers}",
    "strained.worker": "{name}（{why}）",
    "strained.candidate": "{band}：{why}",
    "strained.by_silence": "心跳迟到",
    "strained.by_memory": "内存不足",
    "strained.by_load": "负载过高",
    "strained.before": "片刻之前心跳迟到或过载",
    "route.avoided": "应避开",
    "route.wishes": "[；任务偏好 {prefer}][；任务避开 {avoid}][；其执行按 {spread} 分散]",
    "tail": "[；保留版本 {kept}（最新为 {newest}）：{kept_why}]。",
    "origin.schedule": "到期于 {due_at:short}",
    "origin.backfill": "{due_at:short} 的补数[（{reason}）]",
    "origin.retry": "由 {by} 于 {created_at:short} 重试 {retry_of}[（{reason}）]",
    "origin.test": "由 {by} 于 {created_at:short} 测试[（{reason}）]",
    "origin.trigger": "由 {by} 于 {created_at:short} 触发[（{reason}）]",
    "kept.begun": "该执行此前已尝试过",
    "kept.pinned": "触发时指定了该版本",
    "kept.shards": "最新版本的分片数不同",
    "kept.workers": "每个分片只属于一个工作节点",
    "kept.line": "同一执行的其他部分此前已开始",
    "kept.merge": "最新版本没有合并步骤",
    "lost.job": "on_lost 为 fail",
    "lost.test": "测试不会重试",
    "nobody_known": "未知来源",
    "its_worker": "其工作节点",
    "a_worker": "工作节点",
    "by_callback": "由回调结束",
    "late_work": "它在补跑，迟到的执行让位于准时的执行",
    "no_error": "没有报告错误",
    "range": ("{from_at:short} 至 {to_at:short} 共 {several} 个触发点", "1 个触发点"),
    "neighbour": ("{at:short}，已创建 {run}（{late:lag}）", "{at:short}，已跳过（{skipped}）", "{at:short}"),
    "reason.overlap": "重叠",
    "reason.misfire": "错过",
    "reason.calendar": "日历",
    "reason.blackout": "封闭时段",
    "reason.paused": "暂停",
    "reason.edited": "修改",
    "reason.limit": "限额",
    "cause.stands_for": "错过；由 {fire_at:short} 的触发点代为执行",
    "cause.was_due": "错过；当时应执行的是 {fire_at:short} 的触发点",
    "cause.beyond_window": "错过已超过 {window}",
    "cause.newest_only": "错过；只补最近 {most} 个",
    "cause.policy": "错过，错过策略为 skip",
    "cause.before_pause": "错过；任务暂停时尚未决定",
    "cause.open_run": "前一次执行尚未结束",
    "cause.another_waits": "已有一次执行在等待",
    "cause.queue_full": "已有 {most} 次执行在等待",
    "cause.closed": "{text}",
    "cause.paused": "任务处于暂停状态",
    "cause.before_edit": "任务修改时尚未决定",
    "cause.before_delete": "任务删除时尚未决定",
    "cause.unreadable": "修改前的版本无法读取，其触发点未知",
    "cause.other": "{text}",
}

_GIVES_WAY: Final = (
    "[；此任务在它之前已有 {surplus} 个执行在等待，超出部分让位于其他任务]"
    "[；同一执行在它之前已有 {surplus_shards} 个分片，超出部分让位于其他任务][；{late_work}]"
)

SENTENCES: Final[Catalogue] = {
    "succeeded": "[在 {node} 上]成功，用时 {took:span}[（第 {tries} 次尝试）][，共 {shards} 个分片][，{by_callback}]",
    "failed": ("尝试 {tries} 次后失败：{error}", "[在 {node} 上]执行 {took:span} 后失败[，{by_callback}]：{error}"),
    "timeout": "[在 {node} 上]执行 {took:span} 后超时[（第 {tries} 次尝试）]",
    "worker_gone": "丢失：{last_node} 在分片完成之前排空、离开或不再能执行它，而该分片不属于其他工作节点",
    "lost": "丢失：{last_node} 在执行期间停止响应，无法得知是否完成（{why_lost}）",
    "rejected": "开始之前被拒绝：{error}",
    "poison": "已放弃：执行期间有 {deaths} 个工作节点失联",
    "cancelled": (
        "[在 {node} 上]执行 {ran:span} 后于 {over_at:short} [由 {cancelled_by} ]取消[：{cancel_reason}]",
        "开始之前于 {over_at:short} [由 {cancelled_by} ]取消[：{cancel_reason}]",
    ),
    "running": (
        "正在[ {node} 上]执行[第 {tries} 次尝试][，已 {running_for:span}]"
        "[，等待回调已 {callback_for:span}][，轮询对方状态已 {poll_for:span}]"
        "[；第 {lost_try} 次尝试期间 {lost_by} 停止响应][；第 {failed_try} 次尝试失败：{failed_error}]"
        "[：{shards} 个分片中 {shards_succeeded} 个成功]"
        "[，{shards_running} 个执行中][，{shards_pending} 个等待][，{shards_failed} 个失败]"
    ),
    "starting": "{leased_for:span}前已交给 {worker}，尚未开始",
    "cancelling": "{asked_for:span}前[由 {cancelled_by} ]请求停止[（{cancel_reason}）]，仍[在 {node} 上]执行",
    "waits_for_lock": (
        "[在 {node} 上]已等待锁 {lock} {lock_for:span}"
        "[，由 {lock_holder} 自 {lock_held_at:short} 起持有（令牌 {lock_token}）]"
        "[；前面还有 {lock_ahead} 个等待者]"
    ),
    "thread_goes_on": (
        "{asked_for:span}前[由 {cancelled_by} ]请求停止[（{cancel_reason}）]；"
        "它没有检查 ctx.cancelled。线程无法被强制终止"
    ),
    "retrying": (
        "第 {attempt} 次尝试期间 {retry_lost_by} 停止响应。第 {next_attempt} 次尝试将于 {not_before:short} 开始",
        "第 {attempt} 次尝试失败：{retry_error}。第 {next_attempt} 次尝试将于 {not_before:short} 开始",
    ),
    "later": "等待预定时间：{not_before:short}[；再次触发会推迟它（防抖 {debounce}）]",
    "paced": "补跑，将于 {not_before:short} 开始：迟到的执行会错开",
    "ready": (
        "已就绪 {held:span}：工作节点可再取时取走；{strained}" + _GIVES_WAY,
        "已就绪 {held:span}：工作节点下次轮询时取走" + _GIVES_WAY,
    ),
    "held_line": (
        "已等待 {held:span}：{ahead_at:short} 的 {ahead_running} 仍在执行[（{ahead_for:span}）]，重叠策略为 {overlap}",
        "已等待 {held:span}：{ahead_at:short} 的 {ahead} 排在前面，重叠策略为 {overlap}",
    ),
    "held_nobody": "已等待 {held:span}：没有在线的工作节点",
    "held_group": "已等待 {held:span}：分组 {group} 没有在线的工作节点（其他分组有 {online} 个）",
    "held_handler": (
        "已等待 {held:span}：没有工作节点提供 {handler}（{online} 个在线[；最接近：{nearest_on} 上的 {nearest}]）"
    ),
    "held_label": "已等待 {held:span}：需要 {needs:list}；{fitting} 个工作节点中 0 个具备",
    "held_maintenance": (
        "已等待 {held:span}：集群自 {maintained_at:short} 起由 {maintained_by} 置于维护"
        "[，至 {maintained_until:short}][（{maintained_for}）]"
    ),
    "held_draining": "已等待 {held:span}：可执行它的工作节点（{fitting} 个）正在排空，不再接收新的执行",
    "held_limit": (
        "已等待 {held:span}：需要限额 {limit} 的 {limit_never}，而它只有 {limit_max}：永远无法开始",
        "已等待 {held:span}：需要限额 {limit} 的 {limit_takes}/{limit_max}，空闲 {limit_free}",
        "已等待 {held:span}：限额 {limit_kept} 空闲的部分（{limit_free}/{limit_max}）留给先到期且需要更多的执行",
        "已等待 {held:span}：键为 {key_full} 的执行已达上限[，其中有 {key_holder}]",
        "已等待 {held:span}：键为 {key_spent} 的开始速率已用完；{limit_next:span} 后可开始下一个",
        "已等待 {held:span}：可执行它的 {full_on} 个工作节点各有 {per_worker} 个此任务的执行，已达上限",
        "已等待 {held:span}：任务的 {limit_spent_job}（{limit_rate}）已用完；{limit_next:span} 后可开始下一个",
        "已等待 {held:span}：分组 {limit_spent_group} 的速率（{limit_rate}）已用完；{limit_next:span} 后可开始下一个",
        (
            "已等待 {held:span}：命名空间 {limit_spent_namespace} 的速率（{limit_rate}）已用完；"
            "{limit_next:span} 后可开始下一个"
        ),
        "已等待 {held:span}：分组 {limit_full_group} 的限额已满（{limit_used}/{limit_max}）",
        "已等待 {held:span}：命名空间 {limit_full_namespace} 的限额已满（{limit_used}/{limit_max}）",
        "已等待 {held:span}：限额 {limit} 已满（{limit_used}/{limit_max}）",
    ),
    "held_busy": (
        "已等待 {held:span}：可执行它的工作节点槽位已满（{fitting} 个工作节点，{running}/{slots}）[；{strained}]"
        + _GIVES_WAY
    ),
    "skipped_overlap": (
        "已跳过：前一次执行尚未结束（{open_at:short} 的 {open_run}），重叠策略为 {skip_overlap}",
        "已跳过：前一次执行尚未结束，重叠策略为 {skip_overlap}",
    ),
    "skipped_overlap.queue": "已跳过：已有一次执行在等待，重叠策略为 queue（只等一个）",
    "skipped_misfire": (
        "已跳过：{cause}（{among}，决定于 {decided_at:short}）",
        "已跳过：{cause}（决定于 {decided_at:short}）",
    ),
    "skipped_calendar": "被日历跳过：{cause}",
    "skipped_blackout": "因封闭时段跳过：{cause}",
    "skipped_paused": "已跳过：{job} 处于暂停状态[（{range}）]",
    "skipped_edited": "已跳过：{job} 的调度计划被修改[（{range}）]",
    "skipped_limit": "已跳过：{cause}，已达上限",
    "before_creation": "未触发：{job} 创建于 {born_at:short}[。首个触发点 {first}]",
    "no_schedule": "未触发：{job} 没有调度计划，仅在手动触发时执行",
    "fixed_delay": "未触发：{job} 在上次执行结束一段时间后到期，没有固定时间",
    "before_start": "未触发：{job} 的调度计划始于 {start_at:short}[。首个触发点 {after_at:short}]",
    "after_end": "未触发：{job} 的调度计划已于 {end_at:short} 结束[。最后的触发点 {before_at:short}]",
    "not_due": (
        "未触发：{job} 此时未到期。之前 {before}；之后 {after}",
        "未触发：{job} 此时未到期。之前 {before}",
        "未触发：{job} 此时未到期。之后 {after}",
        "未触发：{job} 此时未到期",
    ),
    "used_up": "未触发：{job} 的调度计划次数已用完",
    "paused": (
        "未触发：{job} 已退役：{retired_by} 自 {retired_at:short} 起不再声明它[；其中最接近的名称是 {renamed_to}]",
        "未触发：{job} [自 {paused_at:short} 起][由 {paused_by} ]暂停[，至 {paused_until:short}][（{pause_reason}）]",
    ),
    "future": "尚未到期：还有 {due_in:span}",
    "future_closed": "将被日历跳过：{ruling}",
    "closed": "被日历跳过：{ruling}",
    "maintained": (
        "已到期 {overdue:span}，未决定：集群自 {maintained_at:short} 起由 {maintained_by} 置于维护"
        "[，至 {maintained_until:short}][（{maintained_for}）]"
    ),
    "undecided": (
        "已到期 {overdue:span}，尚未决定：{alive} 个服务器在线",
        "已到期 {overdue:span}，尚未决定：没有在线的服务器",
    ),
    "troubled": "已到期，但无法决定：{trouble}",
    "unscheduled": "{job} 没有调度计划：仅在手动触发时执行",
    "paused_now": (
        "{job} 已退役：{retired_by} 自 {retired_at:full} 起不再声明它[；其中最接近的名称是 {renamed_to}]",
        "{job} [自 {paused_at:full} 起][由 {paused_by} ]暂停[，至 {paused_until:full}][（{pause_reason}）]",
    ),
    "over": "{job} 已结束：调度计划没有更多触发点",
    "quiet": (
        "{job}：自 {young_at:full} 创建以来没有触发点到期[；下次 {after_at:full}（{after_in:span}后）]",
        "{job}：自 {since:full} 以来没有触发点到期[；下次 {after_at:full}（{after_in:span}后）]",
    ),
    "ahead": (
        "{job}：下次触发定在 {next_due_at:full}，而调度计划在 {after_at:full} 就有触发点；存储时钟曾经超前时会这样",
        "{job}：状态为已结束，而调度计划在 {after_at:full} 就有触发点；存储时钟曾经超前时会这样",
    ),
    "forgotten": "已决定，但记录已被清除：已结束的执行只保留一段时间",
}

_PAUSED: Final = (
    "在 {retired_by} 中重新声明它，或 foliot job delete {job}；foliot job resume {job} 使其照旧继续",
    "foliot job resume {job}；补上错过的触发点：--catch-up",
)

HINTS: Final[Catalogue] = {
    "failed": ("foliot run show {sharded_run}", "foliot run logs {run}"),
    "timeout": "foliot run logs {run}；放宽时限：timeout",
    "lost": "foliot run logs {run}；重新执行：foliot run retry {run}",
    "worker_gone": "为现在的工作节点重新执行：foliot run retry {parent}",
    "rejected": "foliot run show {run}",
    "poison": "foliot run logs {run} --attempt 1",
    "cancelling": "foliot run cancel {run} --force",
    "waits_for_lock": ("foliot run show {lock_run}；整个队列：foliot lock show {lock}", "foliot lock show {lock}"),
    "thread_goes_on": 'isolation="process"，或先 foliot node drain {worker_node} 再重启 {worker_node}',
    "held_line": "foliot run show {ahead}",
    "held_nobody": "启动一个：foliot worker 模块",
    "held_group": "启动一个：foliot worker 模块 --group {group}",
    "held_limit": (
        "foliot limit set {limit} {limit_never}，或减少占用：{job} 的 place.takes.{limit}",
        "foliot run show {key_holder}；放宽：{job} 的 place.max_per_key",
        "为 {key_full} 放宽：{job} 的 place.max_per_key",
        "为 {key_spent} 放宽：{job} 的 place.rate 或 place.rate_burst",
        "再启动一个工作节点，或提高 {job} 的 place.max_per_worker（现为 {per_worker}）",
        "放宽：修改 {job} 的 {limit_spent_job} 或 place.rate_burst",
        "查看：foliot limit show --group {limit_spent_group}",
        "查看：foliot limit show --namespace {limit_spent_namespace}",
        "谁在占用：foliot limit show --group {limit_full_group}",
        "谁在占用：foliot limit show --namespace {limit_full_namespace}",
        "放宽：{limit_full_job}；正在执行的：foliot run list --job {job}",
        "谁在占用：foliot limit show {limit_full_named}",
    ),
    "held_busy": "再启动一个工作节点，或查看正在执行的：foliot run list",
    "held_handler": (
        "启动提供 {other_offer} 的工作节点，或修正 run.{other_kind}",
        "部署代码，或修正 run.python",
    ),
    "held_label": "给工作节点打标签，或修改 place.require",
    "held_draining": "再启动一个工作节点，或 foliot node list",
    "skipped_overlap.skip": "改为排队等待：overlap: queue",
    "skipped_misfire.beyond_window": (
        "放宽窗口：misfire: {{latest: 6h}}；现在补数：foliot job backfill {job} --from {at:iso} --to {second_later:iso}"
    ),
    "no_schedule": "foliot job trigger {job}",
    "paused": _PAUSED,
    "unscheduled": "foliot job trigger {job}",
    "paused_now": _PAUSED,
    "ahead": "foliot job reschedule {job}",
    "undecided": "foliot cluster status",
    "held_maintenance": "foliot cluster maintenance off",
    "maintained": "foliot cluster maintenance off；随后按其错过策略处理",
    "troubled": "foliot job show {job}",
    "kept": "改用最新版本：先 foliot run cancel {run}，再 foliot job trigger {job}",
}
