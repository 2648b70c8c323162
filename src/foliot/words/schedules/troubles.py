"""What is wrong with a schedule, in the reader's language: by code, from the values an error keeps."""

from collections.abc import Callable
from typing import Any, Final

from foliot.domain.errors import FoliotError
from foliot.domain.schedule.errors import shown
from foliot.words.language import Language

_FIELDS: Final = {
    "second": "秒",
    "minute": "分钟",
    "hour": "小时",
    "day": "日",
    "month": "月",
    "weekday": "星期",
    "year": "年",
    "expression": "表达式",
}


def trouble(error: FoliotError, language: Language) -> tuple[str, str]:
    """Sentence and hint of an error; English where the other language has no words for it yet."""
    told = _CHINESE.get(error.code) if language is Language.CHINESE else None
    if told is None:
        return error.sentence, error.hint or ""
    sentence, hint = told(error.data)
    return shown(sentence), shown(hint)


def _bad_cron(data: dict[str, Any]) -> tuple[str, str]:
    place = data.get("place")
    where = f"第 {place + 1} 个字段（{_FIELDS[data['field']]}）" if place is not None else _FIELDS[data["field"]]
    return f"“{data['text']}”：{where}“{data['value']}”无效。", f"{_instead(data)}  试试：foliot cron explain"


def _instead(data: dict[str, Any]) -> str:
    """What to write: the correction, or what the field can hold."""
    if data.get("suggestion"):
        return f"是否想写 {data['suggestion']}？"
    if data.get("bounds"):
        return f"{_FIELDS[data['field']]}可写 {data['bounds']}、*、*/2、1-5，或用逗号分隔的列表"
    return "按“分 时 日 月 星期”书写，例如 0 2 * * *"


def _ambiguous(data: dict[str, Any]) -> tuple[str, str]:
    quartz, spring = data["quartz"], data["spring"]
    sentence = f"“{data['text']}”：{data['value']} 在 Quartz 中是 {quartz}，在 Spring 和 Unix 中是 {spring}。"
    return sentence, f"请写 {quartz} 或 {spring}，或设置 dialect: quartz"


def _not_convertible(data: dict[str, Any]) -> tuple[str, str]:
    name, one_other = data["name"], " 和 ".join(data.get("instead", ()))
    problem, hint = {
        "seconds": (f"{name} 没有秒字段", "保留原来的方言，或用 every: 表示秒"),
        "years": (f"{name} 没有年字段", "改为给计划设置 start 和 end"),
        "or": (f"{name} 不能用“或”连接日与星期", f"写成两条的列表：{one_other}"),
        "and": (f"{name} 不能用“且”连接日与星期", "保留原来的方言"),
        "numbers": (f"{name} 没有与之对应的星期数字", "用名称书写星期"),
        "length": ("转换后的表达式过长", "写成计划的列表"),
    }[data["why"]]
    return f"“{data['text']}”：{problem}。", hint


def _unknown_zone(data: dict[str, Any]) -> tuple[str, str]:
    nearest = data.get("suggestion")
    return f"时区“{data['name']}”不存在。", f"请用 {nearest}" if nearest else "例如 UTC、Asia/Shanghai、Europe/Berlin"


def _bad_time(data: dict[str, Any]) -> tuple[str, str]:
    return f"“{data['written']}”不是可识别的时间。", "例如 2026-01-31T17:00:00Z、2026-01-31 17:00、09:00"


def _unknown_calendar(data: dict[str, Any]) -> tuple[str, str]:
    return f"没有名为“{data['name']}”的日历。", "请先定义，或用内置日历 weekdays、cn-workdays"


_CHINESE: Final[dict[str, Callable[[dict[str, Any]], tuple[str, str]]]] = {
    "FOL-1001": _bad_cron,
    "FOL-1002": _ambiguous,
    "FOL-1004": _unknown_zone,
    "FOL-1031": _bad_time,
    "FOL-1033": _not_convertible,
    "FOL-2010": _unknown_calendar,
}
