"""Alert policies: what people write in files and in code, and the one form a definition keeps."""

from typing import Any

import pytest

from foliot import job
from foliot.domain.definition import definition_hash, from_document, to_document
from foliot.domain.errors import BadField, BadName, UnknownField
from foliot.domain.instants import HOUR, MINUTE
from foliot.domain.policies.alert import AlertPolicy, Pace, alert_from, written_alert

CASES: list[tuple[Any, AlertPolicy | None, dict[str, Any]]] = [
    (None, None, {}),
    ({}, None, {}),
    ({"on": "failed"}, AlertPolicy(failed=True), {"on": ["failed"]}),
    ({"failed": True}, AlertPolicy(failed=True), {"on": ["failed"]}),
    (
        {"late": "10m", "slower_than": "p95*2"},
        AlertPolicy(late_us=10 * MINUTE, slower=Pace(95, 2.0)),
        {"on": ["late 10m", "slower p95*2"]},
    ),
    (
        {"on": ["failed", "late 600s", "slower p95 × 2.50"], "after": "2 in 24h", "recover": True, "to": ["oncall"]},
        AlertPolicy(
            failed=True, late_us=10 * MINUTE, slower=Pace(95, 2.5), after=2, within_us=24 * HOUR, recover=True,
            to=("oncall",),
        ),
        {
            "on": ["failed", "late 10m", "slower p95*2.5"], "after": "2 in 1d", "recover": True, "to": ["oncall"],
        },
    ),
    ({"on": ["slower 5m"], "after": 3}, AlertPolicy(slower=5 * MINUTE, after=3), {"on": ["slower 5m"], "after": 3}),
]  # fmt: skip

WRONG: list[tuple[Any, type[Exception], str]] = [
    ({"on": ["fails"]}, BadField, "fails"),
    ({"on": ["late"]}, BadField, "late"),
    ({"on": ["failed 3"]}, BadField, "failed 3"),
    ({"to": ["oncall"]}, BadField, "nothing to alert about"),
    ({"late": "soon"}, BadField, "soon"),
    ({"late": "1ms"}, BadField, "out of bounds"),
    ({"slower_than": "p42*2"}, BadField, "p42"),
    ({"slower_than": "p95*0"}, BadField, "no pace"),
    ({"on": ["failed"], "after": "often"}, BadField, "often"),
    ({"on": ["failed"], "after": 0}, BadField, "number of times"),
    ({"on": ["failed"], "to": ["not a name!"]}, BadName, "not a name!"),
    ({"on": ["failed"], "to": [7]}, BadField, "7"),
    ({"on": ["failed"] * 21}, BadField, "21 entries"),
    ({"of": ["failed"]}, UnknownField, "alert.of"),
    ("failed", BadField, "not a mapping"),
]


@pytest.mark.parametrize(("written", "policy", "canonical"), CASES)
def test_what_is_written_has_one_meaning_and_one_form(
    written: Any, policy: AlertPolicy | None, canonical: dict[str, Any]
) -> None:
    assert alert_from(written) == policy
    assert written_alert(policy) == canonical
    assert alert_from(canonical) == policy


@pytest.mark.parametrize(("written", "error", "words"), WRONG, ids=[words for _, _, words in WRONG])
def test_what_cannot_be_meant_is_refused_by_its_field(written: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        alert_from(written)


def test_a_definition_keeps_it_and_code_and_file_agree() -> None:
    document = {"run": {"python": "jobs:tick"}, "alert": {"on": ["late 10m"]}}
    definition = from_document(document)
    assert to_document(definition) == document

    @job(alert={"late": "10m"})
    def tick() -> None: ...

    assert tick.definition.alert == definition.alert


def test_a_definition_without_one_keeps_its_hash() -> None:
    plain = from_document({"run": {"python": "jobs:tick"}})
    assert "alert" not in to_document(plain)
    assert definition_hash(plain) == definition_hash(from_document({"run": {"python": "jobs:tick"}, "alert": None}))
