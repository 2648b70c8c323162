"""The next step after an explanation, where there is one. Commands and fields are the same in every language."""

from collections.abc import Callable, Mapping
from typing import Final

from foliot.domain.handler import PYTHON, kind_of
from foliot.domain.instants import SECOND, isoformat
from foliot.domain.why.facts import Explanation, Hold
from foliot.domain.why.reasons import read_reason
from foliot.words.language import Language
from foliot.words.why.pieces import run_of, skip_of

Hint = tuple[str, str]
"""English, Chinese."""


def hint(said: Explanation, language: Language = Language.ENGLISH) -> str | None:
    """What to do next."""
    make = HINTS.get(said.verdict)
    found = (make(said) if make else None) or _kept(said)
    return None if found is None else found[language is Language.CHINESE]


def _kept(said: Explanation) -> Hint | None:
    """How a run that waits with an older version gives way to one with the newest."""
    if said.run is None or said.run.kept is None or said.run.kept.reason == "begun" or said.run.parent is not None:
        return None
    cancel, trigger = f"foliot run cancel {said.run.id}", f"foliot job trigger {said.job}"
    return f"to run the newest version instead: {cancel}, then {trigger}", f"改用最新版本：先 {cancel}，再 {trigger}"


def _same(text: str) -> Hint:
    return text, text


def _logs(said: Explanation) -> Hint:
    if run_of(said).shards:
        return _same(f"foliot run show {run_of(said).id}")
    return _same(f"foliot run logs {run_of(said).id}")


def _lost(said: Explanation) -> Hint:
    run = run_of(said).id
    return (
        f"foliot run logs {run}; to run it again: foliot run retry {run}",
        f"foliot run logs {run}；重新执行：foliot run retry {run}",
    )


def _timeout(said: Explanation) -> Hint:
    run = run_of(said).id
    return f"foliot run logs {run}; to allow more time: timeout", f"foliot run logs {run}；放宽时限：timeout"


def _thread(said: Explanation) -> Hint:
    node = run_of(said).node or "its worker"
    return (
        f'isolation="process", or restart {node} after foliot node drain {node}',
        f'isolation="process"，或先 foliot node drain {node} 再重启 {node}',
    )


def _line(said: Explanation) -> Hint | None:
    return _same(f"foliot run show {said.hold.ahead.id}") if said.hold and said.hold.ahead else None


def _group(said: Explanation) -> Hint:
    hold: Hold | None = said.hold
    command = f"foliot worker MODULE --group {hold.group if hold else ''}"
    return f"start one: {command}", f"启动一个：{command}"


def _overlap(said: Explanation) -> Hint | None:
    if skip_of(said).overlap != "skip":
        return None
    return "to let it wait instead: overlap: queue", "改为排队等待：overlap: queue"


def _misfire(said: Explanation) -> Hint | None:
    if read_reason(skip_of(said).why).kind != "beyond_window":
        return None
    at = said.at or 0
    command = f"foliot job backfill {said.job} --from {isoformat(at)} --to {isoformat(at + SECOND)}"
    return (
        f"to widen the window: misfire: {{latest: 6h}}; to run it now: {command}",
        f"放宽窗口：misfire: {{latest: 6h}}；现在补跑：{command}",
    )


def _paused(said: Explanation) -> Hint:
    command = f"foliot job resume {said.job}"
    return f"{command}; to catch up what was missed: --catch-up", f"{command}；补上错过的触发点：--catch-up"


def _handler(said: Explanation) -> Hint:
    assert said.hold is not None
    kind = kind_of(said.hold.handler)
    if kind == PYTHON:
        return "deploy the code, or fix run.python", "部署代码，或修正 run.python"
    offer = said.hold.handler
    return f"start a worker that offers {offer}, or fix run.{kind}", f"启动提供 {offer} 的工作节点，或修正 run.{kind}"


HINTS: Final[Mapping[str, Callable[[Explanation], Hint | None]]] = {
    "failed": _logs,
    "timeout": _timeout,
    "lost": _lost,
    "rejected": lambda said: _same(f"foliot run show {run_of(said).id}"),
    "poison": lambda said: _same(f"foliot run logs {run_of(said).id} --attempt 1"),
    "cancelling": lambda said: _same(f"foliot run cancel {run_of(said).id} --force"),
    "thread_goes_on": _thread,
    "held_line": _line,
    "held_nobody": lambda said: ("start one: foliot worker MODULE", "启动一个：foliot worker MODULE"),
    "held_group": _group,
    "held_handler": _handler,
    "held_label": lambda said: ("tag a worker, or edit place.require", "给工作节点打标签，或修改 place.require"),
    "held_draining": lambda said: (
        "start another worker, or foliot node list",
        "再启动一个工作节点，或 foliot node list",
    ),
    "skipped_overlap": _overlap,
    "skipped_misfire": _misfire,
    "no_schedule": lambda said: _same(f"foliot job trigger {said.job}"),
    "paused": _paused,
    "unscheduled": lambda said: _same(f"foliot job trigger {said.job}"),
    "paused_now": _paused,
    "ahead": lambda said: _same(f"foliot job reschedule {said.job}"),
    "undecided": lambda said: _same("foliot cluster status"),
    "troubled": lambda said: _same(f"foliot job show {said.job}"),
}
