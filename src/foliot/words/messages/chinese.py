"""Errors in Chinese: a title for every code, a whole sentence where an error keeps the values for one."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from foliot.domain.instants import isoformat
from foliot.words.humane import human_duration
from foliot.words.language import Language

Data = Mapping[str, Any]
Told = tuple[str, str | None]

TITLES: Final[Mapping[str, str]] = {
    "FOL-0000": "出错",
    "FOL-1000": "输入有误",
    "FOL-1001": "cron 表达式无法识别",
    "FOL-1002": "星期数字有歧义",
    "FOL-1003": "日与星期以“或”相连",
    "FOL-1004": "时区不存在",
    "FOL-1005": "时间落在夏令时空档",
    "FOL-1006": "参数不符合",
    "FOL-1007": "结果过大",
    "FOL-1008": "结果不是 JSON",
    "FOL-1009": "文件无法加载",
    "FOL-1010": "时长无法识别",
    "FOL-1011": "执行编号无法识别",
    "FOL-1020": "存储地址不可用",
    "FOL-1021": "触发请求有误",
    "FOL-1030": "设置相互矛盾",
    "FOL-1031": "时间无法识别",
    "FOL-1032": "日历无法识别",
    "FOL-1033": "表达式无法转换",
    "FOL-1034": "调度计划永不触发",
    "FOL-1035": "步长不能整除范围",
    "FOL-1036": "有的月份没有这一天",
    "FOL-1037": "日历尚未公布到那时",
    "FOL-1038": "调度计划各部分不相容",
    "FOL-1039": "星期的步长在 Spring 中从周一数起，在 Quartz 中从周日数起",
    "FOL-1040": "工作节点消息不合协议",
    "FOL-1041": "轮询无法处理",
    "FOL-1042": "起算日在将来，但不会推迟触发",
    "FOL-1048": "代码声明的任务过多",
    "FOL-1051": "内容过大",
    "FOL-1052": "不是 JSON",
    "FOL-1053": "文本无法保存",
    "FOL-1054": "数字无法保存",
    "FOL-1055": "嵌套过深",
    "FOL-1056": "名称不可用",
    "FOL-1057": "字段不存在",
    "FOL-1058": "字段的值不可用",
    "FOL-1059": "退避写法无法识别",
    "FOL-1060": "权限范围不存在",
    "FOL-1061": "令牌不可用",
    "FOL-1062": "游标无效",
    "FOL-1070": "参数类型无法由 JSON 填写",
    "FOL-1071": "分片写法有误",
    "FOL-1072": "检查点无法保存",
    "FOL-1073": "不在任务中",
    "FOL-1074": "处理函数不可用",
    "FOL-1075": "服务器地址有误",
    "FOL-1076": "访问文件无法读取",
    "FOL-1080": "请求有误",
    "FOL-1081": "请求过大",
    "FOL-1082": "幂等键已用于其他请求",
    "FOL-1083": "监听地址不安全",
    "FOL-1084": "上下文文件无法读取",
    "FOL-1085": "请求内容不符合",
    "FOL-1086": "请求到达过慢",
    "FOL-1087": "工作节点消息内容过多",
    "FOL-1091": "文件或目录不是本用户专用",
    "FOL-1092": "用户没有自己的目录",
    "FOL-1093": "项目文件不能指定令牌",
    "FOL-1094": "令牌属于哪个服务器不明",
    "FOL-1095": "故障点无法识别",
    "FOL-1096": "未说明要运行哪些任务",
    "FOL-1097": "令牌将以明文传输",
    "FOL-1098": "没有这个名称的部件",
    "FOL-1099": "没有工作节点执行这类任务",
    "FOL-2000": "未找到",
    "FOL-2001": "任务不存在",
    "FOL-2002": "没有工作节点提供该函数",
    "FOL-2003": "执行不存在",
    "FOL-2004": "版本不存在",
    "FOL-2005": "补数不存在",
    "FOL-2006": "令牌不存在",
    "FOL-2007": "节点不存在",
    "FOL-2008": "页面不存在",
    "FOL-2009": "上下文不存在",
    "FOL-2010": "日历不存在",
    "FOL-2011": "会话不存在",
    "FOL-2015": "限额不存在",
    "FOL-3000": "冲突",
    "FOL-3001": "任务已被修改",
    "FOL-3002": "任务由文件锁定",
    "FOL-3003": "同名重复",
    "FOL-3010": "令牌名称已被占用",
    "FOL-3011": "任务已存在",
    "FOL-3012": "执行尚未结束",
    "FOL-3013": "任务已删除",
    "FOL-3014": "补数内容已变化",
    "FOL-3015": "缺少 If-Match",
    "FOL-3016": "相同请求正在处理",
    "FOL-3017": "数量与预期不符",
    "FOL-3018": "日历正被使用",
    "FOL-3019": "主节点未能移交",
    "FOL-3020": "节点不能排空或恢复",
    "FOL-3021": "任务已被人工修改",
    "FOL-3022": "含有密钥的应答不再给出",
    "FOL-3024": "限额正被使用",
    "FOL-3025": "限额正被运行占用",
    "FOL-3026": "令牌的工作节点会话过多",
    "FOL-3027": "令牌的工作节点描述的处理程序过多",
    "FOL-3030": "仍有服务器在使用存储",
    "FOL-3031": "部件名称已被占用",
    "FOL-4000": "需要登录或权限",
    "FOL-4001": "令牌权限不足",
    "FOL-4002": "未登录",
    "FOL-4003": "登录码无效",
    "FOL-4004": "尝试过多",
    "FOL-4005": "缺少 CSRF 请求头",
    "FOL-4006": "请求过于频繁",
    "FOL-4007": "令牌属于别的命名空间或分组",
    "FOL-4008": "会话由别的令牌建立",
    "FOL-4011": "此令牌不能修改限额",
    "FOL-4020": "令牌以明文到达",
    "FOL-5000": "集群故障",
    "FOL-5001": "服务器或其存储没有应答",
    "FOL-5002": "没有主节点",
    "FOL-5003": "端口被占用",
    "FOL-5004": "时钟偏差",
    "FOL-5005": "等待合适的工作节点",
    "FOL-5006": "调度超前",
    "FOL-5011": "存储繁忙",
    "FOL-5012": "提交结果未知",
    "FOL-5013": "存储设置不安全",
    "FOL-5020": "协议过旧",
    "FOL-5021": "服务器没有应答",
    "FOL-5022": "数据目录被占用",
    "FOL-5023": "监听将暴露未加密的流量",
    "FOL-5024": "部件无法加载",
    "FOL-5030": "未指定服务器",
    "FOL-5031": "此处不能担任该角色",
    "FOL-6000": "执行出错",
    "FOL-6001": "工作节点失联",
    "FOL-6002": "线程不肯停止",
    "FOL-6010": "执行被要求停止",
    "FOL-6011": "执行未成功",
    "FOL-6012": "执行未在限时内结束",
    "FOL-6013": "执行出错",
    "FOL-6020": "基准测试未能完成",
    "FOL-7000": "存储故障",
    "FOL-7001": "数据库结构不符",
    "FOL-7002": "SQLite 不能用于集群",
    "FOL-7010": "基准测试的数据库不是空的",
    "FOL-7011": "无法创建第二个数据库",
}


def _meant(nearest: Any, otherwise: str) -> str:
    return f"是否想写 {nearest}？" if nearest else otherwise


def _job_not_found(data: Data) -> Told:
    sentence = f"命名空间“{data['namespace']}”中没有任务“{data['name']}”。"
    return sentence, _meant(data.get("nearest"), "查看全部：foliot job list")


def _version_conflict(data: Data) -> Told:
    since = f"（{data['by']}，{data['ago']}前）" if data.get("by") and data.get("ago") else ""
    now = f"现在是 v{data['found']}{since}" if data["found"] else "已不存在"
    was = f"你的修改基于 v{data['expected']}" if data["expected"] else "你要新建它"
    look = f"foliot job diff {data['name']} v{data['expected']} v{data['found']}"
    hint = f"比较差异后重试：{look}" if data["expected"] and data["found"] else "foliot job list"
    return f"{data['name']} {now}；{was}。未做任何修改。", hint


def _scope_missing(data: Data) -> Told:
    has = "、".join(data["has"]) or "无"
    where = str(data.get("where", "")).replace(" on group ", "，分组 ").replace(" in every namespace", "，全部命名空间")
    sentence = f"此令牌的权限为 {has}，不含 {data['needed']}（需要权限 {data['needed']}{where}）。"
    return sentence, f"foliot token create --scope {data['needed']}"


def _token_elsewhere(data: Data) -> Told:
    kind = {"namespace": "命名空间", "group": "分组"}[data["kind"]]
    hint = f"另建令牌：foliot token create NAME --scope worker --for-{data['kind']} {data['asked']}"
    return f"此工作节点的令牌只用于{kind} {data['allowed']}，不能用于{kind} {data['asked']}。", hint


def _limit_not_yours(data: Data) -> Told:
    name, namespace = data["name"], data["namespace"]
    whose = "整个集群" if namespace is None else f"命名空间 {namespace}"
    who = f"管理员（foliot limit set {name} {data['wanted']}）" if namespace is None else "令牌不限于一个分组的人"
    sentence = f"限额 {name} 属于{whose}，最多允许 {data['max']} 个执行；此令牌不能把它改为 {data['wanted']}。"
    return sentence, f"写 {name}: {data['max']}，或请{who}修改"


def _no_answer(data: Data) -> Told:
    if "url" not in data:
        return "存储没有应答。", "foliot db status"
    hint = "是否已启动？foliot up · 其他服务器：--server · 上下文：foliot context list"
    return f"{data['url']} 没有应答（{data['why']}）。", hint


def _no_leader(data: Data) -> Told:
    since = "" if data["for_us"] is None else f"已 {_lasting(data['for_us'])}"
    who = f"{data['known']} 台服务器中 {data['online']} 台有应答"
    sentence = f"{who}，{since}没有主节点；正在选举。任务照常触发和执行；内务等待。"
    return sentence, "若一直如此：foliot cluster events --topic cluster"


def _clock_off(data: Data) -> Told:
    lead = f"{'快' if data['ahead_us'] > 0 else '慢'}了 {_lasting(abs(data['ahead_us']))}"
    return f"{data['node']} 的时钟{lead}；其日志时间不准，执行不受影响。", f"检查 {data['node']} 的时间同步"


def _schedules_ahead(data: Data) -> Told:
    others = f" 等至少 {data['count']} 个任务" if data["count"] > 1 else ""
    silent = f" 将静默到 {isoformat(data['next_due_at'])}" if data["next_due_at"] is not None else " 将保持静默"
    whose = f"命名空间 {data['namespace']} 的 {data['job']}{others}"
    return (
        f"{whose}{silent}，而调度计划在此之前有触发点；存储时钟曾经超前时会这样。",
        f"foliot job reschedule --all --dry-run -n {data['namespace']}",
    )


def _lasting(micros: int) -> str:
    return human_duration(micros, Language.CHINESE)


def _run_not_finished(data: Data) -> Told:
    return f"{data['job']} {data['run']} 仍为 {data['state']}。", f"它会继续执行；查看：foliot run watch {data['run']}"


def _run_not_succeeded(data: Data) -> Told:
    kind = f"（{data['kind']}）" if data.get("kind") else ""
    error = f"：{data['error']}" if data.get("error") else ""
    return f"{data['job']} {data['run']} {data['state']}{kind}{error}。", f"foliot run logs {data['run']}"


def _bytes(size: int) -> str:
    if size >= 1024 * 1024:
        return f"{size / (1024 * 1024):.1f} MiB"
    return f"{size / 1024:.1f} KiB".replace(".0 ", " ") if size >= 1024 else f"{size} B"


_NOT_PRIVATE: Final = {
    "it is a link": "这是一个链接",
    "it belongs to another user": "属于其他用户",
    "other users may enter it, and it holds other things": "其他用户可以进入，且其中有别的东西",
    "other users may enter it, and its file system does not change that": "其他用户可以进入，且文件系统无法更改权限",
    "other users may read or write it": "其他用户可以读写",
}


def _not_private(data: Data) -> Told:
    found = f"（{data['found']}）" if data["found"] else ""
    return (
        f"{data['path']} 不能使用：{_NOT_PRIVATE.get(data['why'], data['why'])}{found}。",
        "删除它，或换用自己的新目录",
    )


def _schema(data: Data) -> Told:
    match data["state"]:
        case "empty":
            return "存储为空：还没有表。", "运行 foliot db upgrade"
        case "behind":
            hint = "运行 foliot db upgrade；先看步骤：foliot db upgrade --plan"
            return f"存储的结构版本为 {data['revision']}，此版本需要 {data['head']}。", hint
        case "too_new":
            return f"存储的结构版本为 {data['revision']}，此版本只认识到 {data['head']}。", "安装更新的 Foliot"
        case _:
            return f"存储的结构“{data['revision']}”不是 Foliot 的。", "检查存储地址；foliot db status"


_TYPES: Final = {
    "a date and time": "日期时间",
    "a date": "日期",
    "a time": "时间",
    "a duration": "时长",
    "a whole number": "整数",
    "a number": "数字",
    "a decimal number": "小数",
    "a UUID": "UUID",
    "text": "文本",
    "true/false": "true/false",
    "a list": "列表",
    "an object": "对象",
}


def _bad_parameters(data: Data) -> Told:
    told = "；".join(f"{error['path']} {_problem(str(error['message']))}" for error in data["errors"])
    known = "，".join(f"{name}（{_kind(kind)}）" for name, kind in data.get("known", ()))
    return f"{data['job']}：{told}。", f"参数：{known}" if known else None


def _kind(english: str) -> str:
    """What a parameter is; a word that has no other is told as it is."""
    return next((chinese for words, chinese in _TYPES.items() if english in (words, words.partition(" ")[2])), english)


def _problem(said: str) -> str:
    if said in ("is unknown", "is missing"):
        return "是未知参数" if said == "is unknown" else "缺失"
    kind = said.removeprefix("is not ")
    return f"不是{_TYPES[kind]}" if kind != said and kind in _TYPES else said


_INSIDE: Final = {
    "handlers and schemas": "处理函数及其参数说明",
    "jobs": "任务",
    "labels": "标签",
    "load": "负载",
    "reports": "报告",
    "held leases": "持有的租约",
    "schemas": "参数说明",
    "unknown or repeated fields": "未知或重复的字段",
}


def _bytes_or_parts(most: str) -> str:
    return most.replace(" bytes", " 字节").replace(" parts", " 个部分")


_TOO_MANY: Final = {
    "requests": ("同时的请求过多", "减少同时发送的请求"),
    "streams": ("同时的事件流和等待中的请求过多", "先结束其中一些"),
    "metrics": ("同时读取指标的请求过多", "减少同时发送的请求"),
    "logins": ("同时的登录请求过多", "减少同时发送的请求"),
    "bodies": ("同时到达的请求内容过大", "减少同时发送的请求，或缩小请求"),
    "worker_bodies": ("同时到达的工作节点消息过大", "稍后重发同一消息"),
    "beats": ("同时到达的心跳消息过大", "稍后重发同一消息"),
    "strangers": ("等待查验的令牌过多", "稍后重发同一请求"),
    "wrong_tokens": ("此地址的错误令牌过多", "使用有效的令牌：foliot login URL"),
}


def _too_many(data: Data) -> Told:
    what, hint = _TOO_MANY[str(data["reason"])]
    return f"{what}；{data['retry_after_s']} 秒后可再试。", hint


_PARTS: Final = {"handler": "处理器", "coordinator": "协调后端", "store": "存储", "route": "路由策略"}

SENTENCES: Final[Mapping[str, Callable[[Data], Told]]] = {
    "FOL-1006": _bad_parameters,
    "FOL-1007": lambda d: (
        f"{d['run']} 的结果为 {_bytes(d['size'])}，上限为 64 KiB。执行已成功，结果未保存。",
        "把数据存到别处，返回其位置",
    ),
    "FOL-1008": lambda d: (
        f"{d['function']} 返回了“{d['type']}”，不是 JSON。执行已成功，结果未保存。",
        "返回 str(value)，或 dataclass",
    ),
    "FOL-1010": lambda d: (f"“{d['written']}”不是时长。", "例如 90s、15m、1h30m、2d"),
    "FOL-1011": lambda d: (f"“{d['written']}”不是执行编号。", "执行编号形如 r-8k2f；见 foliot run list"),
    "FOL-1051": lambda d: (
        f"{d['what']} 为 {_bytes(d['size'])}，上限为 {_bytes(d['bytes_max'])}。",
        "把数据存到别处并传递其位置",
    ),
    "FOL-1057": lambda d: (f"任务没有字段“{d['path']}”。", _meant(d.get("nearest"), "查看字段：foliot docs job-file")),
    "FOL-1048": lambda d: (
        f"代码在命名空间 {d['namespace']} 中声明的任务已达上限 {d['most']} 个。",
        "删除代码中不再声明的任务，或使用别的命名空间",
    ),
    "FOL-1041": lambda d: (
        "此轮询无法处理：为它查找执行时失败。",
        "详见服务器日志 poll.refused；工作节点与服务器的版本可能不同",
    ),
    "FOL-1060": lambda d: (f"“{d['written']}”不是权限范围。", "可用：read、run、write、admin、worker"),
    "FOL-1062": lambda d: ("此游标不是该列表给出的。", "不带游标重新开始"),
    "FOL-1081": lambda d: (f"请求为 {_bytes(d['size'])}，上限为 {_bytes(d['bytes_max'])}。", "请缩小请求"),
    "FOL-1082": lambda d: ("此 Idempotency-Key 已用于内容不同的请求。", "换一个键，或发送相同的内容"),
    "FOL-1086": lambda d: (f"请求内容未在 {d['within_s']:g} 秒内到达。", "请一次发送完；此连接已关闭"),
    "FOL-1087": lambda d: (
        f"工作节点的消息中 {_INSIDE[d['what']]} 超过上限（{_bytes_or_parts(d['most'])}）。",
        "请分成多次发送" if d["what"] in ("reports", "held leases") else "把代码分到多个工作节点",
    ),
    "FOL-2001": _job_not_found,
    "FOL-2002": lambda d: (
        f"没有工作节点提供 {d['handler']}（{d['online']} 个在线"
        + (f"；最接近：{d['worker']} 上的 {d['nearest']}" if d.get("nearest") else "")
        + "）。",
        "部署代码，或修正 run.python",
    ),
    "FOL-2003": lambda d: (f"没有执行“{d['id']}”。", "已结束的执行只保留一段时间；见 foliot run list"),
    "FOL-2004": lambda d: (
        f"{d['job']} 没有版本 v{d['version']}。",
        f"查看全部：foliot job show {d['job']} --versions",
    ),
    "FOL-2005": lambda d: (f"没有补数 {d['number']}。", "查看全部：foliot job backfills"),
    "FOL-2006": lambda d: (f"没有令牌“{d['written']}”。", "查看全部：foliot token list"),
    "FOL-2007": lambda d: (f"没有节点“{d['name']}”。", _meant(d.get("nearest"), "查看全部：foliot node list")),
    "FOL-2008": lambda d: (f"这里没有 {d['method']} {d['path']}。", "接口说明：/api/v1/openapi.json"),
    "FOL-2015": lambda d: (f"没有全集群的限额“{d['name']}”。", "查看全部：foliot limit list"),
    "FOL-2009": lambda d: (f"没有上下文“{d['name']}”。", _meant(d.get("nearest"), "查看全部：foliot context list")),
    "FOL-2011": lambda d: ("此令牌没有这样的会话，或会话已结束。", "工作节点应重新登记"),
    "FOL-3001": _version_conflict,
    "FOL-3002": lambda d: (
        f"{d['name']} 属于 {d['file']}，此处不能修改。",
        "修改该文件，然后 foliot job apply -f jobs/",
    ),
    "FOL-3003": lambda d: (
        f"两个函数都叫“{d['name']}”：{d['first']} 和 {d['second']}。两者均未修改。",
        '给其中一个写 name="..."',
    ),
    "FOL-3010": lambda d: (f"令牌“{d['name']}”已存在。", f"换一个名称，或 foliot token rotate {d['name']}"),
    "FOL-3011": lambda d: (
        f"命名空间“{d['namespace']}”中已有任务“{d['name']}”。",
        f"修改它：foliot job edit {d['name']}，或换一个名称",
    ),
    "FOL-3012": lambda d: (
        (f"{d['part']} 是 {d['run']} 的一部分：" if d["part"] else "")
        + f"{d['run']} 仍为 {d['state']}；只有已结束的执行才能重新执行。",
        f"等待：foliot run watch {d['run']}；或 foliot run cancel {d['run']}",
    ),
    "FOL-3013": lambda d: (
        f"{d['run']} 属于已删除的任务 {d['job']}，不能重新执行。",
        f"重新创建任务，然后 foliot job trigger {d['job']}",
    ),
    "FOL-3014": lambda d: (
        f"{d['job']} 的补数与预览不同：现在有 {d['count']} 个触发点。未启动任何执行。",
        "重新预览：foliot job backfill --dry-run",
    ),
    "FOL-3015": lambda d: (f"修改 {d['name']} 需要说明基于哪个版本。", "发送 If-Match，取自上次读取的 ETag"),
    "FOL-3016": lambda d: ("相同 Idempotency-Key 的请求正在处理。", "稍后用同一个键重试"),
    "FOL-3017": lambda d: (f"预期 {d['expected']} 个，实际匹配 {d['found']} 个。未做任何修改。", "重新查看列表后重试"),
    "FOL-3018": lambda d: (f"日历 {d['name']} 正被 {'、'.join(d['jobs'][:3])} 使用。", "先修改这些任务"),
    "FOL-3021": lambda d: (
        f"{d['name']} 最后由人工修改（{d['source']}），优先于代码；代码中的声明未采用。",
        f"使两者一致，或 foliot job delete {d['name']} 后重启工作节点",
    ),
    "FOL-3022": lambda d: (
        "此请求已应答过；应答中含有密钥，只给出一次，不作保存。",
        "若未收到，换一个键再要；令牌可用 foliot token rotate NAME",
    ),
    "FOL-1091": _not_private,
    "FOL-1092": lambda d: ("此用户没有主目录，结果没有地方等待。", "请指定：--spool 目录"),
    "FOL-3026": lambda d: (
        f"此令牌已有 {d['most']} 个在线的工作节点会话，这是上限。",
        "停止不需要的工作节点，或让其中一些使用另一个令牌",
    ),
    "FOL-3027": lambda d: (
        f"此令牌的工作节点对处理程序的描述超过 {d['most'] // 2**20} MiB，这是上限。",
        "只给每个工作节点它需要的模块，或让其中一些使用另一个令牌",
    ),
    "FOL-3024": lambda d: (
        f"限额 {d['name']} 正被 {'、'.join(d['jobs'][:3])}{'等' if len(d['jobs']) > 3 else ''} 使用。",
        "先从这些任务的 place.concurrency 中去掉它",
    ),
    "FOL-3025": lambda d: (
        f"限额 {d['name']} 正被 {d['runs']} 个执行中的运行占用。",
        "等它们结束后再删除；foliot limit list 显示占用数",
    ),
    "FOL-1093": lambda d: (
        f"{d['file']} 指定了 {d['name']}，项目不可以这样做：它决定你的什么会发给服务器，以及怎样发送。",
        "删去它；自己的令牌：foliot login URL，或 --token-file 加 --server",
    ),
    "FOL-1094": lambda d: (
        f"{d['said_by']} 给出了令牌，但服务器（{d['server']}）只由 foliot.toml 指定：不会发送。",
        f"请同时指定服务器：--server {d['server']}（或 FOLIOT_SERVER）；或 foliot login {d['server']}",
    ),
    "FOL-1097": lambda d: (
        f"令牌将以明文发往 {d['url']}：途中任何人都能读到并使用它。",
        "请用 https://；确实需要时：--insecure-http、FOLIOT_INSECURE_HTTP=1 或 insecure_http=True",
    ),
    "FOL-1098": lambda d: (
        f"没有名为“{d['name']}”的{_PARTS[d['kind']]}。",
        f"已知的有：{d['known']}；其他的请安装提供它的软件包",
    ),
    "FOL-1099": lambda d: (
        f"没有工作节点执行“{d['kind']}”类任务。",
        (f"是不是 {d['meant']}？" if d["meant"] else "")
        + f"已知的有：{d['known']}；保存任务之前，须有提供 {d['kind']} 的工作节点在线",
    ),
    "FOL-4001": _scope_missing,
    "FOL-4002": lambda d: ("未登录：没有有效的令牌。", "foliot login URL，或 --token-file FILE"),
    "FOL-4003": lambda d: ("登录码错误、已使用过，或已超过 15 分钟。", "再要一个：foliot login-link"),
    "FOL-4004": lambda d: (f"错误次数过多；{d['retry_after_s']} 秒后可再试。", "再要一个登录码：foliot login-link"),
    "FOL-4005": lambda d: ("用 Cookie 登录时，修改操作需要请求头 X-Foliot-Csrf。", "发送 X-Foliot-Csrf: 1"),
    "FOL-4006": _too_many,
    "FOL-4007": _token_elsewhere,
    "FOL-4008": lambda d: (
        "此会话由另一个令牌建立，此工作节点的令牌不能用于此会话。",
        "重启工作节点，它会建立自己的会话",
    ),
    "FOL-4011": _limit_not_yours,
    "FOL-4020": lambda d: (
        "令牌经由明文 HTTP 到达：途中可能已被他人读取。",
        "请用 https://，并更换令牌：foliot token rotate NAME --grace 0s",
    ),
    "FOL-5001": _no_answer,
    "FOL-5002": _no_leader,
    "FOL-5004": _clock_off,
    "FOL-5006": _schedules_ahead,
    "FOL-5003": lambda d: (
        f"{d['host']} 的端口 {d['port']} 已被占用{'：' + d['by'] if d.get('by') else ''}。",
        f"另选端口：--port {d['port'] + 1}（foliot up），--listen {d['host']}:{d['port'] + 1}（foliot server）",
    ),
    "FOL-5011": lambda d: ("存储过于繁忙：此步已放弃。", "稍后重试"),
    "FOL-5012": lambda d: ("提交的应答丢失：是否完成尚不可知。", "用同一个键重试是安全的"),
    "FOL-5022": lambda d: (
        f"{d['folder']} 正被另一个 foliot up 使用（pid {d['pid']}）。",
        "停止它，或用 --data 另选目录",
    ),
    "FOL-5030": lambda d: (
        "未指定服务器：没有 ./.foliot/client.json，也没有设置 FOLIOT_SERVER。",
        "在此目录启动：foliot up · 或指定：--server http://host:7171",
    ),
    "FOL-6011": _run_not_succeeded,
    "FOL-6012": _run_not_finished,
    "FOL-3030": lambda d: (
        f"{d['count']} 个服务器正在使用此存储：{'、'.join(d['servers'][:3])}。",
        "先停止它们；--force 会照样继续，之后须逐一重启",
    ),
    "FOL-3031": lambda d: (
        f"软件包 {d['package']} 提供的{_PARTS[d['kind']]}“{d['name']}”与 {d['owner']} 的重名。",
        f"卸载 {d['package']}，或请其作者改名",
    ),
    "FOL-5024": lambda d: (
        f"{_PARTS[d['kind']]}“{d['name']}”（{d['target']}）无法加载：{d['why']}。",
        "安装它所需的软件包，或另选一个",
    ),
    "FOL-7001": _schema,
    "FOL-7002": lambda d: (
        f"SQLite 只能服务一台机器；此存储已由 {'、'.join(d['hosts'])} 使用。",
        "--db postgresql://… 或 mysql://…（MariaDB、Galera）",
    ),
    "FOL-7010": lambda d: (
        f"{d['url']} 不是空的：其中有 {d['tables']} 张表。",
        "基准测试会写满并清空它的数据库：请给它一个专用的",
    ),
    "FOL-7011": lambda d: (
        f"无法在 {d['url']} 旁创建第二个数据库：{d['why']}。",
        "用 --twin-db URL 给一个空的，或换一个可以建库的用户",
    ),
}
