"""What `foliot top` shows: an answer of the server as rows of its panes and a line for its head. No terminal here."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from foliot.domain.instants import SECOND, to_instant
from foliot.words.humane import human_duration
from foliot.words.language import Language
from foliot.words.phrases import phrase

PANES: Final = {
    "running": ("job", "run", "node", "took"),
    "next": ("job", "due", "schedule"),
    "failing": ("job", "run", "kind", "ended"),
    "nodes": ("node", "health", "slots", "cpu", "memory"),
    "alerts": ("level", "alert", "rule"),
}
"""The panes and their columns."""


class TopRow(NamedTuple):
    """A row of a pane, and what its keys act on."""

    key: str
    cells: tuple[str, ...]
    job: str = ""
    namespace: str = ""
    run: str = ""
    node: str = ""
    alert: int = 0
    is_off: bool = False  # a job that is paused, a node that is drained


class TopView:
    """Turns answers into text in the reader's language; remembers how many fires there were."""

    def __init__(self, lang: Language) -> None:
        self._lang = lang
        self._fired: tuple[float, float] | None = None  # when, by store time, and how many

    def say(self, key: str, **values: Any) -> str:
        return phrase(key, values, self._lang)

    def head(self, seen: Mapping[str, Any]) -> str:
        """Leader, term, lag and fires per second."""
        cluster = seen.get("cluster")
        if cluster is None:
            return self.say("top_head_limited", now=seen["now"][11:19])
        lag_s = max(cluster.get("overdue_s") or 0.0, cluster.get("oldest_ready_s") or 0.0)
        rate = self._fires_per_s(cluster)
        return self.say(
            "top_head",
            leader=cluster["leader"] or "–",
            term=cluster["term"],
            lag=self._duration(lag_s),
            fires="–" if rate is None else f"{rate:.1f}",
            queue=cluster["queue"],
            running=cluster["running"],
        )

    def _fires_per_s(self, cluster: Mapping[str, Any]) -> float | None:
        """From what the servers counted between two looks; None: at the first look, or a server began anew."""
        now_s = _instant_s(cluster["now"])
        fired = sum(node["load"].get("scheduled", 0.0) for node in cluster["nodes"] if node["kind"] == "server")
        before, self._fired = self._fired, (now_s, fired)
        if before is None or now_s <= before[0] or fired < before[1]:
            return None
        return float((fired - before[1]) / (now_s - before[0]))

    def rows(self, seen: Mapping[str, Any], *, text: str = "") -> dict[str, list[TopRow]]:
        """The rows of each pane; `text`: only those that have it somewhere."""
        panes = {
            "running": list(self._running(seen)),
            "next": list(self._next(seen)),
            "failing": list(self._failing(seen)),
            "nodes": list(self._nodes(seen)),
            "alerts": list(self._alerts(seen)),
        }
        wanted = text.lower()
        return {name: [row for row in rows if _has(row, wanted)] for name, rows in panes.items()}

    def _running(self, seen: Mapping[str, Any]) -> Iterator[TopRow]:
        now_s = _instant_s(seen["now"])
        for run in seen["running"]:
            began = run.get("attempt_started_at") or run.get("started_at")
            took = "–" if began is None else self._duration(now_s - _instant_s(began))
            cells = (run["job"], run["id"], run.get("node") or "–", took)
            yield TopRow(run["id"], cells, job=run["job"], namespace=run["namespace"], run=run["id"])

    def _next(self, seen: Mapping[str, Any]) -> Iterator[TopRow]:
        now_s = _instant_s(seen["now"])
        for job in seen["next"]:
            left_s = _instant_s(job["next_at"]) - now_s if job["next_at"] else 0.0
            yield _of_job(job, (job["name"], self._duration(max(0.0, left_s)), job["schedule"] or "–"))

    def _failing(self, seen: Mapping[str, Any]) -> Iterator[TopRow]:
        for job in seen["failing"]:
            last = job.get("last_run") or {}
            ended = last.get("ended_at")
            cells = (job["name"], last.get("id", "–"), last.get("kind") or "–", ended[11:19] if ended else "–")
            yield _of_job(job, cells)

    def _nodes(self, seen: Mapping[str, Any]) -> Iterator[TopRow]:
        for node in seen["nodes"]:
            load = node["load"]
            name = f"★ {node['name']}" if node["is_leader"] else node["name"]
            slots = f"{node['running']}/{node['slots']}" if node["slots"] else "–"
            cells = (name, node["health"], slots, _percent(load.get("cpu")), _percent(load.get("memory")))
            yield TopRow(node["id"], cells, node=node["name"], is_off=bool(node.get("drained_by")))

    def _alerts(self, seen: Mapping[str, Any]) -> Iterator[TopRow]:
        for alert in seen.get("alerts", ()):  # a server of the release before knows none
            yield TopRow(str(alert["id"]), (alert["level"], alert["title"], alert["rule"]), alert=alert["id"])

    def _duration(self, seconds: float) -> str:
        return human_duration(int(seconds * SECOND), self._lang)


def _of_job(job: Mapping[str, Any], cells: tuple[str, ...]) -> TopRow:
    last = job.get("last_run") or {}
    key = f"{job['namespace']}/{job['name']}"
    is_off = job["state"] == "paused"
    return TopRow(key, cells, job=job["name"], namespace=job["namespace"], run=last.get("id", ""), is_off=is_off)


def _has(row: TopRow, text: str) -> bool:
    return not text or any(text in cell.lower() for cell in row.cells)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _instant_s(moment: str) -> float:
    return to_instant(datetime.fromisoformat(moment)) / SECOND
