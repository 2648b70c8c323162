"""Reports: facts are chosen and compared; the same report as text, Markdown and HTML, in both languages."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.fire import SkipReason
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.reports.facts import CrowdedPoint, JobTally, NodeTally, ReportFacts, RunTally
from foliot.domain.reports.period import ReportKind, period_from, read_day
from foliot.domain.reports.report import TOP, PeriodReport, compose
from foliot.domain.statistics.figures import RunFigures, Spell
from foliot.domain.statistics.node_load import NodeLoad
from foliot.words.chinese.reports import REPORTS as CHINESE
from foliot.words.english.reports import REPORTS as ENGLISH
from foliot.words.language import Language
from foliot.words.report_forms import ReportForm, written
from foliot.words.report_sheets import sheet_of

DAY = period_from(ReportKind.DAILY, "Europe/Berlin", read_day("2026-03-29"))
EVIL = "<script>alert(1)</script>|\"'&[x](http://evil)\u202e"


def tally(runs: int, *, failed: int = 0, mean: int = SECOND, wait: int = 0) -> RunTally:
    took, waits = runs * mean, runs * wait
    return RunTally(runs, runs - failed, failed, 0, runs, took, mean, runs, waits, wait)


def job(job_id: int, now: RunTally, before: RunTally = RunTally(), name: str = "") -> JobTally:  # noqa: B008
    return JobTally(job_id, "default", name or f"job-{job_id}", now, before)


def made(facts: ReportFacts, *, namespace: str | None = "default", after: int = HOUR) -> PeriodReport:
    return compose(DAY, facts, namespace=namespace, now=DAY.to_at + after, is_exact=True)


def test_jobs_are_in_the_lists_where_they_lead_and_nowhere_else() -> None:
    steady = job(1, tally(100), tally(100))
    sick = job(2, tally(10, failed=4), tally(10, failed=1))
    late = job(3, tally(10, wait=MINUTE), tally(10))
    grown = job(4, tally(100, mean=MINUTE), tally(50, mean=MINUTE))
    new = job(5, tally(9, mean=2 * MINUTE))
    facts = ReportFacts(now=tally(229), before=tally(170), leaders=[steady, sick, late, grown, new])
    report = made(facts)
    assert [line.job for line in report.failing] == ["job-2"]
    assert [line.job for line in report.late] == ["job-3"]
    assert [line.job for line in report.growing] == ["job-4"], "a new job has not grown"
    assert [line.job for line in report.slowest][:2] == ["job-5", "job-4"]


def test_no_list_has_more_lines_than_people_read() -> None:
    report = made(ReportFacts(now=tally(99), leaders=[job(n, tally(3, failed=1)) for n in range(1, 40)]))
    assert len(report.failing) == len(report.slowest) == TOP


def test_nothing_is_compared_while_the_period_goes_on_or_nothing_was_before() -> None:
    facts = ReportFacts(now=tally(9), before=tally(8), leaders=[job(1, tally(9, mean=HOUR), tally(8))])
    assert made(facts).before == tally(8)
    assert len(made(facts).growing) == 1
    for report in (made(facts, after=-HOUR), made(replace(facts, before=RunTally()))):
        assert (report.before, list(report.growing)) == (None, [])


def test_percentiles_and_kinds_of_failures_come_from_the_figures() -> None:
    figures = RunFigures()
    figures.took = Spell(2, 3 * SECOND, 2 * SECOND, "")
    figures.took.sketch.add(SECOND)
    figures.took.sketch.add(2 * SECOND)
    figures.kinds["timeout"] = 2
    report = made(ReportFacts(now=tally(2), leaders=[job(1, tally(2, failed=2))], figures={1: figures}))
    (line,) = report.failing
    assert line.duration is not None
    assert (line.duration.max_us, line.kinds) == (2 * SECOND, {"timeout": 2})


def test_nodes_have_what_they_ran_and_how_they_were() -> None:
    load = NodeLoad("worker")
    load.samples = 4
    load.bands = dict.fromkeys(load.bands, 1)
    load.gauges["cpu"].add(250_000)
    report = made(ReportFacts(nodes=[NodeTally("w-1", 3, 1, 9)], loads={"w-1": load, "s-1": NodeLoad("server")}))
    first, second = report.nodes
    assert (first.node, first.runs, first.cpu, first.unwell, second.node) == ("w-1", 3, 0.25, 0.75, "s-1")


def whole() -> PeriodReport:
    anomaly = Anomaly(
        job_id=1,
        kind=AnomalyKind.FAILURES,
        began_at=DAY.from_at,
        seen_at=DAY.to_at,
        facts={"failed": 3, "runs": 4, "kind": "error", "usual": 0.01},
        namespace="default",
        job=EVIL,
    )
    return made(
        ReportFacts(
            now=tally(10, failed=3),
            before=tally(8),
            jobs_ran=1,
            jobs=2,
            leaders=[job(1, tally(10, failed=3, mean=HOUR), tally(8), name=EVIL)],
            crowded=[CrowdedPoint(DAY.from_at, 9, 2, SECOND)],
            nodes=[NodeTally(EVIL, 3, 1, HOUR)],
            skips={"overlap": 3},
            anomalies=[anomaly],
        ),
        namespace=EVIL,
    )


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("form", ReportForm)
@pytest.mark.parametrize("report", [whole(), made(ReportFacts())], ids=["whole", "empty"])
def test_every_report_is_written_in_every_form_and_language(
    report: PeriodReport, form: ReportForm, language: Language
) -> None:
    text = written(sheet_of(report, language, link="https://foliot.example/reports"), form, language)
    assert "2026-03-29" in text
    assert "{" not in text.replace("{background", "").replace("{border", "").replace("{color", "").replace("{body", "")
    assert "\u202e" not in text, "nothing turns the direction of reading"


def test_why_instants_were_left_out_is_told_in_the_language_of_the_report() -> None:
    report = made(ReportFacts(skips={str(reason): 1 for reason in SkipReason}))
    text = written(sheet_of(report, Language.CHINESE), ReportForm.TEXT, Language.CHINESE)
    assert "重叠" in text
    assert [reason for reason in SkipReason if reason in text] == []


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.mark.parametrize("language", Language)
def test_html_is_one_file_in_which_names_of_users_are_only_text(language: Language) -> None:
    tags = Tags()
    tags.feed(written(sheet_of(whole(), language), ReportForm.HTML, language))
    assert "script" not in tags.tags
    assert (tags.links, "img" in tags.tags) == ([], False)
    assert any("<script>alert(1)</script>" in said for said in tags.said)


def test_markdown_makes_no_link_of_a_name_and_keeps_its_columns() -> None:
    text = written(sheet_of(whole(), Language.ENGLISH), ReportForm.MARKDOWN, Language.ENGLISH)
    assert "[x](http" not in text
    row = next(line for line in text.splitlines() if "alert" in line and line.startswith("| "))
    assert row.replace("\\|", "").count("|") == 6, "job, failed, runs, before, why"


def test_an_hour_that_comes_twice_is_said_with_its_zone() -> None:
    autumn = period_from(ReportKind.DAILY, "Europe/Berlin", read_day("2026-10-25"))
    points = [CrowdedPoint(autumn.from_at + hours * HOUR, 5, 1, 0) for hours in (2, 3)]
    report = compose(
        autumn, ReportFacts(now=tally(10), crowded=points), namespace=None, now=autumn.to_at, is_exact=True
    )
    text = written(sheet_of(report, Language.ENGLISH), ReportForm.TEXT, Language.ENGLISH)
    assert "2026-10-25 02:00 CEST" in text
    assert "2026-10-25 02:00 CET" in text


def test_both_languages_say_the_same_things() -> None:
    assert set(CHINESE) == set(ENGLISH)
