"""Pages that are followed from top to bottom: what a step needs was done in one above it."""

from pathlib import Path

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def test_a_cluster_is_known_to_the_command_line_before_it_is_asked_for_a_token() -> None:
    page = (HOW_TO / "run-a-cluster.md").read_text("utf-8")
    steps = [
        page.index(step)
        for step in ("foliot server --db-file", "foliot context add", "foliot token create", "foliot worker")
    ]
    assert steps == sorted(steps)


def test_a_server_under_systemd_prints_no_token_into_the_journal() -> None:
    page = (HOW_TO / "run-a-cluster.md").read_text("utf-8")
    (start,) = [line for line in page.splitlines() if line.startswith("ExecStart=")]
    assert "--bootstrap-token-file" in start
