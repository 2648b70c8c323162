"""Pages that are followed from top to bottom: what a step needs was done in one above it."""

import re
from pathlib import Path

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.notify_settings import read_notify_settings
from foliot.cli.document_files import document_of
from foliot.domain.alerts.channel import channel_from
from foliot.domain.alerts.channel_settings import check_settings
from foliot.domain.alerts.rule_document import rule_from
from foliot.domain.instants import MINUTE
from foliot.sdk.job import JobFunction

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


def blocks(page: str, language: str) -> list[str]:
    """The pieces of a page that are written in one language."""
    text = (HOW_TO / page).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_files_of_the_pages_about_alerts_are_taken_as_they_stand(tmp_path: Path) -> None:
    (written,) = blocks("tell-the-right-people.md", "yaml")
    (tmp_path / "alerts.yaml").write_text(written, "utf-8")
    document = document_of(str(tmp_path / "alerts.yaml"))
    schemas = InstalledNotifiers().schemas()
    for name, one in document["channels"].items():
        channel = channel_from(name, one, namespace=None)
        check_settings(schemas[channel.kind], channel.settings)
    for name, one in document["rules"].items():
        assert rule_from(one, name=name, namespace="default").escalate
    (settings,) = blocks("get-told.md", "toml")
    (tmp_path / "notify.toml").write_text(settings, "utf-8")
    assert set(read_notify_settings(tmp_path / "notify.toml").secrets) == {"CHAT"}


def test_the_job_of_the_page_about_alerts_asks_for_what_the_page_says() -> None:
    code = blocks("get-told.md", "python")[0]
    names: dict[str, object] = {"__name__": "jobs"}
    exec(compile(code, "jobs.py", "exec"), names)
    settle = names["settle"]
    assert isinstance(settle, JobFunction)
    alert = settle.definition.alert
    assert alert is not None
    assert (alert.failed, alert.late_us, alert.recover) == (True, 10 * MINUTE, True)
