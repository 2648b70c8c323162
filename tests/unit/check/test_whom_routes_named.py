"""I24: who was named, who leased, and what is no lie."""

from foliot_check.findings import verify
from foliot_check.history import History
from tests.unit.check.route_lies import edit_change, leased_by_another_than_was_named
from tests.unit.check.test_invariants import sound


def test_a_run_goes_to_whom_its_route_named_and_one_for_anyone_to_anyone() -> None:
    story = sound()
    edit_change(story, 0, assigned_to="s1")
    edit_change(story, 1, session_id="s1")
    edit_change(story, 3, assigned_to="*")
    edit_change(story, 4, session_id="s2")
    finding = verify(History(**story))["I24"]
    assert (finding.wrong, finding.looked_at) == ([], 1)


def test_both_sessions_are_told() -> None:
    story = sound()
    leased_by_another_than_was_named(story)
    assert verify(History(**story))["I24"].wrong == ["run 1 was meant for session s1, and s2 leased it"]
