"""Dashboards and rules ask for metrics and labels that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from foliot.observability.catalogue import CATALOGUE, METRICS, MetricRow, series_of

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DASHBOARDS = sorted((DEPLOY / "grafana").glob("*.json"))
RULES = DEPLOY / "prometheus" / "foliot-rules.yaml"
SCRAPE = DEPLOY / "prometheus" / "prometheus.yaml"
SERIES: dict[str, MetricRow] = {name: row for row in CATALOGUE for name in series_of(row)}
SCRAPED = {"cluster", "instance", "le"}  # labels that Prometheus and its configuration give
NAME = re.compile(r"\bfoliot_\w+")
SELECTED = re.compile(r"(\w+)\{([^}]*)\}")
MATCHED = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"')
GROUPED = re.compile(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)")
SHOWN = re.compile(r"\{\{\s*(\w+)\s*\}\}")
ASKED = re.compile(r"label_values\((\w+), (\w+)\)")


class Question(NamedTuple):
    """An expression, where it stands, and the labels that its answer is shown by."""

    where: str
    expression: str
    shown: frozenset[str] = frozenset()


def of_dashboards() -> Iterator[Question]:
    for file in DASHBOARDS:
        board = json.loads(file.read_text("utf-8"))
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield Question(
                    f"{file.stem}: {panel['title']}", target["expr"], frozenset(SHOWN.findall(target["legendFormat"]))
                )


def of_rules() -> Iterator[Question]:
    for rule in rules():
        texts = " ".join(rule["annotations"].values())
        yield Question(rule["alert"], rule["expr"], frozenset(re.findall(r"\$labels\.(\w+)", texts)))


def rules() -> list[dict[str, Any]]:
    document = yaml.safe_load(RULES.read_text("utf-8"))
    return [rule for group in document["groups"] for rule in group["rules"]]


def troubles(question: Question) -> list[str]:
    """What of an expression is not in the catalogue."""
    names = set(NAME.findall(question.expression))
    found = [f"no metric {name}" for name in sorted(names - SERIES.keys())]
    known = {label for name in names & SERIES.keys() for label in SERIES[name].labels} | SCRAPED
    for name, matchers in SELECTED.findall(question.expression):
        labels = set(SERIES[name].labels) | SCRAPED if name in SERIES else {"job"}
        found += [f"{name} has no label {one}" for one in sorted(set(MATCHED.findall(matchers)) - labels)]
    grouped = {label.strip() for some in GROUPED.findall(question.expression) for label in some.split(",")}
    return found + [f"no label {one}" for one in sorted((grouped | question.shown) - known)]


@pytest.mark.parametrize("question", [*of_dashboards(), *of_rules()], ids=lambda one: one.where)
def test_an_expression_asks_for_metrics_and_labels_of_the_catalogue(question: Question) -> None:
    assert troubles(question) == []
    assert question.expression.count("(") == question.expression.count(")")


def test_a_wrong_name_or_label_would_be_found() -> None:
    assert troubles(Question("", 'sum by (colour) (foliot_jobs{state="x"})')) == ["no label colour"]
    assert troubles(Question("", "foliot_jobz")) == ["no metric foliot_jobz"]
    assert troubles(Question("", 'foliot_jobs{band="x"}')) == ["foliot_jobs has no label band"]
    assert troubles(Question("", "foliot_fire_lateness_seconds")) == ["no metric foliot_fire_lateness_seconds"]


def test_dashboards_have_addresses_of_their_own_and_variables_that_can_be_filled() -> None:
    boards = [json.loads(file.read_text("utf-8")) for file in DASHBOARDS]
    assert [board["uid"] for board in boards] == [file.stem for file in DASHBOARDS]
    assert {board["uid"] for board in boards} == {"foliot-jobs", "foliot-nodes", "foliot-overview", "foliot-store"}
    for board in boards:
        variables = {one["name"]: one for one in board["templating"]["list"]}
        used = set(re.findall(r"\$\{?([a-z]+)\b", json.dumps([panel["targets"] for panel in board["panels"]])))
        assert used <= variables.keys(), board["uid"]
        for variable in variables.values():
            for metric, label in ASKED.findall(json.dumps(variable)):
                assert label in {*SERIES[metric].labels, *SCRAPED}, (metric, label)
        places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
        assert len(set(places)) == len(places), "no panel hides another"


def test_most_metrics_are_on_a_dashboard_and_each_rule_says_the_next_step() -> None:
    asked = {name for question in of_dashboards() for name in NAME.findall(question.expression)}
    unseen = {row.name for row in CATALOGUE if not asked & set(series_of(row))}
    of_drills_and_states = {name for name in METRICS if "drill" in name}
    assert unseen - of_drills_and_states <= {"foliot_standby", "foliot_drained", "foliot_coordinator_chosen",
                                             "foliot_coordinator_outages", "foliot_replica_answers_total",
                                             "foliot_replica_fit"}  # fmt: skip
    for rule in rules():
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert (ROOT / rule["annotations"]["runbook"]).exists(), rule["alert"]
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]


def test_the_scrape_names_the_page_and_the_rules() -> None:
    document = yaml.safe_load(SCRAPE.read_text("utf-8"))
    (job,) = document["scrape_configs"]
    assert (job["job_name"], job["metrics_path"]) == ("foliot", "/metrics")
    assert document["rule_files"] == [RULES.name]
    assert "credentials_file" in job["authorization"], "no token in a configuration"
