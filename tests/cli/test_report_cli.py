"""`foliot report`: a report in every form, in both languages, and schedules of reports."""

import re
from pathlib import Path

from tests.cli.conftest import Shell


def test_a_report_is_shown_or_written_to_a_file(foliot: Shell, tmp_path: Path) -> None:
    shown = foliot("report", "daily", "--tz", "Europe/Berlin")
    assert shown.code == 0
    assert shown.out.startswith("Foliot: the whole cluster, ")
    assert "Europe/Berlin" in shown.out
    data = foliot("report", "weekly", "-n", "nobody", "-o", "json").json
    assert (data["kind"], data["namespace"], data["now"]["runs"]) == ("weekly", "nobody", 0)
    file = tmp_path / "week.html"
    written = foliot("report", "weekly", "--format", "html", "--out", str(file), "--lang", "zh")
    assert (written.code, "已写入" in written.err) == (0, True)
    assert "整个集群" in file.read_text(encoding="utf-8")
    assert foliot("report", "daily", "--out", str(tmp_path / "no" / "folder")).code == 2
    wrong = foliot("report", "daily", "--date", "yesterday")
    assert (wrong.code, "FOL-" in wrong.err) == (2, True)


def test_schedules_of_reports(foliot: Shell) -> None:
    assert foliot("report", "schedule", "set", "morning").code == 2, "nobody would get it"
    usual = ("report", "schedule", "set", "morning", "-n", "default")
    made = foliot(*usual, "--to", "mail", "--at", "7:15", "--tz", "Europe/Berlin")
    assert made.code == 0, made.err
    assert 'There is no channel "mail"' in made.err
    assert "the next one is sent at" in made.err
    changed = foliot(*usual, "--kind", "weekly", "--weekday", "fri", "--language", "zh", "-o", "json").json
    assert changed["schedule"] == {
        "kind": "weekly",
        "at": "07:15",
        "weekday": "fri",
        "timezone": "Europe/Berlin",
        "to": ["mail"],
        "language": "zh",
    }
    assert re.search(r"morning +default +weekly +mail", foliot("report", "schedule", "list").out)
    assert re.search(r"at +07:15 fri\n", foliot("report", "schedule", "show", "morning", "-n", "default").out)
    sent = foliot("report", "schedule", "send", "morning", "-n", "default")
    assert (sent.code, "on its way to mail" in sent.err) == (0, True)
    assert "morning:" in foliot("alert", "export", "-n", "default").out
    assert "morning:" not in foliot("alert", "export").out, "that is what belongs to the whole cluster"
    assert foliot(*usual, "--off", "-o", "json").json["next_at"] is None
    assert foliot("report", "schedule", "show", "morning").code == 3, "that is one of the whole cluster"
    assert foliot("report", "schedule", "delete", "morning", "-n", "default", "--yes").code == 0
    assert foliot("report", "schedule", "delete", "morning", "-n", "default", "--yes").code == 3
