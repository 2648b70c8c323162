"""The kinds that `foliot up` has without a word: http, which may call this machine, and sql; no shell."""

import pytest

from foliot.app import handler_kinds
from foliot.app.handler_kinds import beside_python, of_one_machine


def test_http_may_call_this_machine_and_shell_is_not_there() -> None:
    chosen = of_one_machine({})
    assert chosen["http"] == {"allow": ["loopback"]}
    assert set(chosen) == {"http", "sql"}
    assert {kind.kind for kind in beside_python(chosen).kinds} >= {"http"}


def test_what_the_user_says_wins() -> None:
    chosen = of_one_machine({"http": {"allow": [], "ports": [443]}, "shell": {}})
    assert chosen["http"] == {"allow": [], "ports": [443]}
    assert "shell" in chosen


def test_a_kind_that_cannot_be_loaded_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler_kinds.InstalledKinds, "find", lambda *_: None)
    assert of_one_machine({}) == {}
