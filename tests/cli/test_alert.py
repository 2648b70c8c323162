"""`foliot alert` beside a real server: from a channel and a rule to a message, and back to quiet."""

import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.cli.conftest import Shell

CHINESE = {"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8"}
HOOK = "secret_url=${secret:HOOK}"


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[str, "queue.Queue[dict[str, Any]]"]]:
    """The address of a receiver, and what it was told."""
    heard: queue.Queue[dict[str, Any]] = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", heard
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def hook(foliot: Shell, told: tuple[str, "queue.Queue[dict[str, Any]]"]) -> Iterator["queue.Queue[dict[str, Any]]"]:
    """A channel `hook` to the receiver."""
    address, heard = told
    made = foliot("alert", "channel", "add", "hook", "--kind", "webhook", "--set", f"url={address}")
    assert made.code == 0, made.err
    yield heard
    foliot("alert", "channel", "delete", "hook", "--force", "-y")


def test_a_failing_job_is_told_looked_after_and_over(foliot: Shell, hook: "queue.Queue[dict[str, Any]]") -> None:
    works = foliot("alert", "channel", "test", "hook")
    assert (works.code, "a test message reached hook" in works.err) == (0, True)
    assert hook.get(timeout=30)["kind"] == "test"

    said = ("--when", "failed", "--of", "job=fail", "--level", "critical", "--to", "hook")
    made = foliot("alert", "rule", "set", "nights", *said, "--runbook", "https://wiki.example/fail")
    assert (made.code, "a run failed, of job fail" in made.err) == (0, True), made.err
    run = foliot("job", "trigger", "fail", "-p", "why=cannot reach db-7", "--wait", "-q").out.split()[0]
    message = hook.get(timeout=60)
    assert (message["title"], message["kind"]) == ("[critical] fail failed", "fired")
    assert "cannot reach db-7" in message["text"]
    assert {"job", "run", "due", "rule", "next step"} <= message["facts"].keys()
    assert (message["facts"]["job"], message["facts"]["run"]) == ("fail", run)
    assert any("cannot reach db-7" in line for line in message["log"])
    assert message["runbook"] == "https://wiki.example/fail"
    number = str(message["data"]["alert"])
    assert message["link"].endswith(f"/alerts/{number}")

    listed = foliot("alert", "list", "--rule", "nights")
    for piece in (number, "critical", "FIRING", "fail failed: ", "nights"):
        assert piece in listed.out
    assert foliot("alert", "list", "--rule", "nights", "-q").out.split() == [number]
    assert "告警中" in foliot("alert", "list", **CHINESE).out
    assert foliot("alert", "list", "--level", "info", "-o", "json").json["items"] == []
    looked_after = foliot("alert", "ack", number, "--note", "I restart it")
    assert (looked_after.code, "looks after it" in looked_after.err) == (0, True)
    shown = foliot("alert", "show", number).out
    for piece in ("ACKNOWLEDGED", "I restart it", "foliot run logs", "https://wiki.example/fail"):
        assert piece in shown
    assert "hook" in foliot("alert", "deliveries", "--alert", number).out
    over = foliot("alert", "resolve", number, "--reason", "mended")
    assert (over.code, "is over" in over.err) == (0, True)
    assert hook.get(timeout=60)["kind"] == "resolved"
    assert "is over already" in foliot("alert", "ack", number).err
    assert number in foliot("alert", "history", "--rule", "nights").out

    named = foliot("alert", "channel", "delete", "hook", "-y")
    assert (named.code, "FOL-3120" in named.err) == (5, True), "a rule names it"
    tried = foliot("alert", "rule", "test", "nights", "--run", run)
    assert (tried.code, "would fire" in tried.out, "hook" in tried.out) == (0, True, True)
    told_so = foliot("alert", "rule", "preview", "nights", "--run", run)
    for piece in ("hook (webhook) would hear it at once", "[critical] fail failed", "【严重】fail 失败", "下一步"):
        assert piece in told_so.out
    assert foliot("alert", "rule", "delete", "nights", "-y").code == 0
    assert hook.empty(), "previews send nothing"


def test_what_a_job_itself_asks_for_is_told(foliot: Shell, hook: "queue.Queue[dict[str, Any]]") -> None:
    asked = '{"on": ["late 1s", "slower p95*2"], "after": 1, "recover": true, "to": ["hook"]}'
    made = foliot("job", "create", "lonely", "--py", "jobs:greet", "--group", "nowhere", "--set", f"alert={asked}")
    assert made.code == 0, made.err
    run = foliot("job", "trigger", "lonely", "-q").out.split()[0]
    message = hook.get(timeout=60)
    assert message["title"].startswith("[warning] lonely did not start for ")
    assert message["title"].endswith(": no worker of nowhere takes runs")
    assert (message["facts"]["run"], message["facts"]["rule"], message["text"]) == (run, "job", "")
    assert "due" in message["facts"]
    assert foliot("run", "cancel", run, "-y").code == 0
    assert hook.get(timeout=60)["title"].startswith("[over] lonely")
    assert foliot("job", "delete", "lonely", "-y").code == 0


def test_a_silence_is_made_listed_and_ended(foliot: Shell) -> None:
    made = foliot("alert", "silence", "--job", "etl_*", "--for", "2h", "--reason", "the database moves")
    assert (made.code, "nobody is told of job=etl_*" in made.err) == (0, True)
    (one,) = foliot("alert", "silences", "-o", "json").json["items"]
    assert (one["reason"], one["is_active"]) == ("the database moves", True)
    assert "etl_*" in foliot("alert", "silences", **CHINESE).out
    assert foliot("alert", "unsilence", str(one["id"])).code == 0
    assert foliot("alert", "silences", "-o", "json").json["items"] == []
    everything = foliot("alert", "silence", "--for", "2h", "--reason", "x")
    assert everything.code != 0, "everything is silenced only on request"


def test_a_server_without_the_secret_of_a_channel_is_named(foliot: Shell) -> None:
    made = foliot("alert", "channel", "add", "poor", "--kind", "slack", "--set", "webhook=${secret:NOT_THERE}")
    assert (made.code, "FOL-1394" in made.err, "NOT_THERE" in made.err) == (0, True, True)
    tried = foliot("alert", "channel", "test", "poor")
    assert (tried.code, "did not reach poor" in tried.err, "--notify" in tried.err) == (1, True, True)
    assert "NOT_THERE" in foliot("alert", "channel", "list", "-o", "wide").out
    assert "FOL-1394" in foliot("alert", "channel", "show", "poor").out
    assert "没有密钥 NOT_THERE" in foliot("alert", "channel", "test", "poor", **CHINESE).err
    assert foliot("alert", "channel", "delete", "poor", "-y").code == 0
    written = foliot("alert", "channel", "add", "poor", "--kind", "slack", "--set", "webhook=https://x.example/secret")
    assert (written.code != 0, "${secret:" in written.err) == (True, True)


def test_a_preview_shows_both_languages_or_the_body_of_one(foliot: Shell, hook: "queue.Queue[dict[str, Any]]") -> None:
    both = foliot("alert", "channel", "preview", "hook").out
    for piece in ("[warning] settle failed", "【警告】settle 失败", "the language of this channel"):
        assert piece in both
    one = foliot("alert", "channel", "preview", "hook", "--language", "zh", "--notice", "resolved", "--body").out
    assert '"title": "【恢复】settle 失败"' in one
    assert "[over]" not in one
    assert foliot("alert", "channel", "preview", "hook", "-o", "json").json["told"] == "now"
    assert foliot("alert", "channel", "preview", "nobody").code == 3
    assert hook.empty()


def test_the_rules_that_come_with_foliot_are_listed_and_switched_off(foliot: Shell) -> None:
    listed = foliot("alert", "rule", "list").out
    for piece in ("node-dead", "channel-dead", "comes with Foliot"):
        assert piece in listed
    off = foliot("alert", "rule", "set", "channel-dead", "--off")
    assert (off.code, "it is off" in off.err) == (0, True), off.err
    assert "changed" in foliot("alert", "rule", "show", "channel-dead").out
    assert foliot("alert", "rule", "delete", "channel-dead", "-y").code == 0
    again = foliot("alert", "rule", "delete", "channel-dead", "-y")
    assert (again.code, "FOL-3113" in again.err) == (5, True)
    assert "Foliot 自带" in foliot("alert", "rule", "list", **CHINESE).out


FILE = """
channels:
  filed: {kind: webhook, settings: {secret_url: "${secret:HOOK}"}, level: critical}
rules:
  filed-late: {when: late 10m, of: {job: settle}, to: [filed]}
"""


def test_a_file_of_channels_and_rules_is_compared_applied_and_exported(foliot: Shell) -> None:
    differs = foliot("alert", "diff", "-f", "-", stdin=FILE)
    assert (differs.code, "filed-late" in differs.out) == (7, True)
    assert foliot("alert", "apply", "-f", "-", "--check", stdin=FILE).code == 7
    (foliot.folder / "alerts.yaml").write_text(FILE)
    assert foliot("alert", "apply", "-f", "alerts.yaml", "-y").code == 0
    assert foliot("alert", "diff", "-f", "alerts.yaml").code == 0, "a repeat changes nothing"
    exported = foliot("alert", "export").out
    for piece in ("filed:", "filed-late:", "${secret:HOOK}"):
        assert piece in exported
    assert "node-dead" not in exported, "what comes with Foliot is not exported"
    assert foliot("alert", "rule", "delete", "filed-late", "-y").code == 0
    assert foliot("alert", "channel", "delete", "filed", "-y").code == 0


WRONG = [
    (("alert", "show", "999999"), 3, "FOL-2050"),
    (("alert", "ack", "999999"), 3, "FOL-2050"),
    (("alert", "ack", "x"), 2, "x"),
    (("alert", "rule", "show", "nod-dead"), 3, "node-dead"),
    (("alert", "rule", "set", "new"), 2, "--when"),
    (("alert", "rule", "set", "new", "--when", "fails often"), 2, "fails often"),
    (("alert", "channel", "show", "nobody"), 3, "FOL-"),
    (("alert", "channel", "add", "new"), 2, "--kind"),
    (("alert", "channel", "add", "new", "--kind", "slak"), 2, "slack"),
    (("alert", "channel", "kinds", "slak"), 2, "slack"),
    (("alert", "unsilence", "999999"), 3, "FOL-2052"),
]


@pytest.mark.parametrize(("command", "code", "said"), WRONG)
def test_a_wrong_command_says_what_is_wrong_and_ends_with_its_code(
    foliot: Shell, command: tuple[str, ...], code: int, said: str
) -> None:
    found = foliot(*command)
    assert (found.code, said in found.err) == (code, True), found.err


def test_the_help_of_every_command_begins_with_what_it_does_and_has_examples(foliot: Shell) -> None:
    for words in (
        "",
        "list",
        "ack",
        "rule list",
        "rule preview",
        "channel test",
        "channel preview",
        "silence",
        "apply",
    ):
        found = foliot("alert", *words.split(), "--help")
        assert (found.code, "Examples:" in found.out) == (0, True), words
    assert "示例" in foliot("alert", "channel", "preview", "--help", **CHINESE).out
