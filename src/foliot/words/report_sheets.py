"""Reports in words: a report becomes a sheet of sentences and tables in one language; `report_forms` writes it out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from zoneinfo import ZoneInfo

from foliot.domain.instants import Instant, Micros, to_datetime
from foliot.domain.redaction import redacted
from foliot.domain.reports.facts import RunTally
from foliot.domain.reports.report import JobLine, NodeLine, PeriodReport, ReportSpread
from foliot.words.alerts import alert_sentence
from foliot.words.anomalies import anomaly_sentence
from foliot.words.chinese import reports as chinese
from foliot.words.english import reports as english
from foliot.words.humane import human_duration
from foliot.words.language import Language
from foliot.words.phrases import value_word
from foliot.words.templates import Speech
from foliot.words.why import skip_word

_BOOKS: Final = {Language.ENGLISH: english.REPORTS, Language.CHINESE: chinese.REPORTS}
_SPEECHES: Final = {language: Speech(language) for language in Language}
NOTHING: Final = "-"
TIMES_MIN: Final = 10
"""So many times as much is said as such; below that it is a change in per cent."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """Rows below a heading. `numbers`: columns that stand at the right."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int]
    is_bad: bool = False  # it is about trouble
    told: int = 0  # the column that a short message tells beside the first; 0: it does not tell of this table
    is_figures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A report in one language, without any form."""

    title: str
    range: str
    sentences: Sequence[str]
    tables: Sequence[SheetTable]
    footer: str
    link: str = ""
    link_title: str = ""


def sheet_of(report: PeriodReport, language: Language, *, link: str = "") -> Sheet:
    """The whole report."""
    return _Writer(report, language).sheet(link)


class _Writer:
    def __init__(self, report: PeriodReport, language: Language) -> None:
        self._report = report
        self._language = language
        self._zone = ZoneInfo(report.timezone)

    def sheet(self, link: str) -> Sheet:
        report = self._report
        days = {"date": report.date, "last_date": report.last_date}
        where = (
            self._say("everywhere") if report.namespace is None else self._say("namespace", namespace=report.namespace)
        )
        return Sheet(
            title=self._say(f"{report.kind}_title", where=where, **days),
            range=self._say(
                "range",
                from_at=self._time(report.from_at),
                to_at=self._time(report.to_at),
                timezone=report.timezone,
            ),
            sentences=list(self._sentences()),
            tables=[table for table in self._tables() if table.rows],
            footer=self._say("made", made_at=self._time(report.made_at)),
            link=link,
            link_title=self._say("open_console"),
        )

    # ------------------------------------------------------------------------------------------------------ sentences

    def _sentences(self) -> Iterator[str]:
        report = self._report
        now = report.now
        key = "none" if not now.runs else "some_failed" if now.failed else "all_well"
        yield self._say(key, runs=now.runs, jobs=report.jobs_ran, failed=now.failed)
        if report.before is not None:
            yield self._say(f"before_{report.kind}", runs=report.before.runs, failed=report.before.failed)
        if not report.is_over:
            yield self._say("not_over")
        if not report.is_exact:
            yield self._say("not_exact")

    # --------------------------------------------------------------------------------------------------------- tables

    def _tables(self) -> Iterator[SheetTable]:
        report = self._report
        yield self._figures()
        failing = ("failed", "runs", "before", "why")
        yield self._jobs("failing_jobs", report.failing, self._failing, failing, told=1, is_bad=True)
        yield self._anomalies()
        yield self._alerts()
        yield self._jobs("slow_jobs", report.slowest, self._slow, ("runs", "mean", "p95", "longest"), told=2)
        yield self._jobs("late_jobs", report.late, self._late, ("runs", "mean_wait", "p95", "longest"), told=2)
        yield self._jobs(
            "growing_jobs", report.growing, self._growing, ("runs", "before", "busy", "before", "change"), told=5
        )
        yield self._crowded()
        yield self._table("skips", ("reason", "count"), [(self._skip(why), str(n)) for why, n in report.skips.items()])
        yield self._nodes()

    def _figures(self) -> SheetTable:
        report = self._report
        before = report.before
        rows: list[tuple[str, ...]] = []
        for name, read, show in _COMPARED:
            value = read(report.now)
            if value is None or (not value and name in _ONLY_WITH_VALUE):
                continue
            was = None if before is None else read(before)
            beside = NOTHING if was is None else self._shown(show, was)
            rows.append((self._say(name), self._shown(show, value), beside, self._change(show, value, was)))
        counts = {
            "jobs_ran": report.jobs_ran,
            "jobs": report.jobs,
            "jobs_new": report.jobs_new,
            "skipped": sum(report.skips.values()),
            "alerts": sum(report.alerts.values()),
            "alerts_open": report.alerts_open,
            "anomalies": len(report.anomalies),
        }
        rows += [(self._say(name), str(n), NOTHING, NOTHING) for name, n in counts.items() if n]
        return replace(self._table("figures", ("figure", "value", "before", "change"), rows), is_figures=True)

    def _jobs(
        self,
        heading: str,
        lines: Sequence[JobLine],
        cells: Callable[[JobLine], Sequence[str]],
        columns: Sequence[str],
        *,
        told: int,
        is_bad: bool = False,
    ) -> SheetTable:
        rows = [(self._name(line.namespace, line.job), *cells(line)) for line in lines]
        return self._table(heading, ("job", *columns), rows, is_bad=is_bad, told=told)

    def _failing(self, line: JobLine) -> Sequence[str]:
        kinds = ", ".join(f"{self._word(kind)} {count}" for kind, count in line.kinds.items())
        return str(line.now.failed), str(line.now.runs), str(line.before.failed), kinds

    def _slow(self, line: JobLine) -> Sequence[str]:
        return str(line.now.runs), *self._spread(line.duration)

    def _late(self, line: JobLine) -> Sequence[str]:
        return str(line.now.runs), *self._spread(line.delay)

    def _growing(self, line: JobLine) -> Sequence[str]:
        now, before = line.now, line.before
        spans = self._span(now.took_us), self._span(before.took_us)
        return str(now.runs), str(before.runs), *spans, self._change("span", now.took_us, before.took_us)

    def _crowded(self) -> SheetTable:
        report = self._report
        rows = [
            (self._time(point.start_at), str(point.runs), str(point.jobs), self._span(point.delay_max_us))
            for point in report.crowded
        ]
        return self._table(f"crowded_{report.crowded_by}", ("at", "runs", "jobs", "longest_wait"), rows)

    def _alerts(self) -> SheetTable:
        rows = [
            (
                self._word(str(one.level)),
                redacted(alert_sentence(one, self._language)),
                self._time(one.fired_at or one.began_at),
                self._time(one.resolved_at) or self._say("goes_on"),
            )
            for one in self._report.alert_list
        ]
        return self._table("alert_list", ("level", "what", "since", "until"), rows, is_bad=True, told=1)

    def _anomalies(self) -> SheetTable:
        rows = [
            (
                self._name(one.namespace, one.job),
                anomaly_sentence(one, self._language),
                self._time(one.began_at),
                self._time(one.ended_at) or self._say("goes_on"),
            )
            for one in self._report.anomalies
        ]
        return self._table("anomaly_list", ("job", "what", "since", "until"), rows, is_bad=True, told=1)

    def _nodes(self) -> SheetTable:
        columns = ("node", "kind", "runs", "failed", "busy", "cpu", "memory", "unwell")
        return self._table("nodes", columns, [self._node(line) for line in self._report.nodes])

    def _node(self, line: NodeLine) -> Sequence[str]:
        return (
            line.node,
            self._word(line.kind) or NOTHING,
            str(line.runs),
            str(line.failed),
            self._span(line.busy_us),
            self._share(line.cpu, line.cpu_max),
            self._share(line.memory, line.memory_max),
            NOTHING if line.unwell is None else _percent(line.unwell),
        )

    def _table(
        self,
        heading: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        is_bad: bool = False,
        told: int = 0,
    ) -> SheetTable:
        numbers = frozenset(nth for nth, name in enumerate(columns) if name not in _TEXTS)
        return SheetTable(self._say(heading), [self._say(name) for name in columns], rows, numbers, is_bad, told)

    # ---------------------------------------------------------------------------------------------------------- words

    def _say(self, key: str, **values: Any) -> str:
        return _SPEECHES[self._language].fill(_BOOKS[self._language][key], values)

    def _word(self, word: str) -> str:
        return value_word(word, self._language)

    def _skip(self, reason: str) -> str:
        return skip_word(reason, self._language)

    def _name(self, namespace: str, job: str) -> str:
        """A job's name; in a report of all namespaces, with its own in front."""
        return job if self._report.namespace is not None else f"{namespace}/{job}"

    def _time(self, at: Instant | None) -> str:
        """By the clock of the report's zone; a day of which may have an hour twice, so the zone's name is beside it."""
        return "" if at is None else f"{to_datetime(at).astimezone(self._zone):%Y-%m-%d %H:%M %Z}"

    def _span(self, micros: Micros) -> str:
        return human_duration(micros, self._language)

    def _spread(self, spread: ReportSpread | None) -> Sequence[str]:
        if spread is None:
            return NOTHING, NOTHING, NOTHING
        return self._span(spread.mean_us), self._span(spread.p95_us), self._span(spread.max_us)

    def _share(self, mean: float | None, most: float | None) -> str:
        if mean is None or most is None:
            return NOTHING
        return self._say("mean_most", mean=_percent(mean), most=_percent(most))

    def _shown(self, form: str, value: float) -> str:
        if form == "span":
            return self._span(round(value))
        return _percent(value) if form == "rate" else str(value)

    def _change(self, form: str, value: float, was: float | None) -> str:
        """By how much it differs; nothing where there is nothing to compare with."""
        if was is None or value == was:
            return NOTHING
        if form == "rate":
            return self._say("points", by=f"{100 * (value - was):+.1f}")
        if not was:
            return NOTHING
        ratio = value / was
        return f"× {ratio:.0f}" if ratio >= TIMES_MIN else f"{100 * (ratio - 1):+.0f} %"


def _percent(part: float) -> str:
    """99.97 % is not 100 %."""
    return "100 %" if part == 1 else f"{min(100 * part, 99.9):.1f} %"


def _runs(tally: RunTally) -> float:
    return tally.runs


def _failed(tally: RunTally) -> float:
    return tally.failed


def _cancelled(tally: RunTally) -> float:
    return tally.cancelled


def _retries(tally: RunTally) -> float:
    return tally.retries


def _rate(tally: RunTally) -> float | None:
    return tally.success_rate


def _busy(tally: RunTally) -> float:
    return tally.took_us


def _mean(tally: RunTally) -> float | None:
    return tally.mean_us


def _mean_wait(tally: RunTally) -> float | None:
    return tally.mean_delay_us


def _longest_wait(tally: RunTally) -> float:
    return tally.delay_max_us


_COMPARED: Final[Sequence[tuple[str, Callable[[RunTally], float | None], str]]] = (
    ("runs", _runs, "count"),
    ("success", _rate, "rate"),
    ("failed", _failed, "count"),
    ("cancelled", _cancelled, "count"),
    ("retries", _retries, "count"),
    ("busy", _busy, "span"),
    ("mean", _mean, "span"),
    ("mean_wait", _mean_wait, "span"),
    ("longest_wait", _longest_wait, "span"),
)
_ONLY_WITH_VALUE: Final = frozenset({"cancelled", "retries", "busy", "longest_wait"})
_TEXTS: Final = frozenset({"job", "figure", "why", "at", "reason", "level", "what", "since", "until", "node", "kind"})
