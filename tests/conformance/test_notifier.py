"""Every kind of channel against a real receiver: what arrives is what its provider documents, and nothing leaks."""

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from foliot.app.plugins import NOTIFIERS, load
from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.channel_settings import check_settings
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.egress import Egress
from foliot.domain.errors import BadField
from foliot.domain.instants import SECOND
from foliot.ports.notifier import AlertMessage, NotifierKind, NotifyRules, NotSent
from tests.conformance.receivers import Got, MailReceiver, WebReceiver, mail_receiver, web_receiver
from tests.servers.certificates import Authority


class Kinds:
    """The kinds of the table, by name."""

    def find(self, name: str) -> NotifierKind:
        kind: NotifierKind = load("foliot.notifiers", name)()
        return kind


KINDS = Kinds()
LOOPBACK = NotifyRules(egress=Egress.of(allow=["loopback"]), within_s=20.0)
CANARY = "c4n4ry-s3cr3t-value"
NASTY = "<b>*job*</b> [x](http://evil.example) @all & `rm`"
MESSAGE = AlertMessage(
    delivery_id="5f0c2a",
    kind=NoticeKind.FIRED,
    level=AlertLevel.CRITICAL,
    key="alert:7",
    at=1_794_976_000 * SECOND,
    sent_at=1_794_976_110 * SECOND,
    title=f"failed: {NASTY}",
    text="The run failed: 任务失败",
    facts={"job": NASTY, "due": "2026-11-18 02:00"},
    log=["line 1 <&>", "Traceback: ```boom```"],
    link="https://foliot.example/runs/r-1",
    runbook="https://wiki.example/settle",
    repeat_mark="[possible repeat]",
    data={"rule": "night", "n": 1},
)


@dataclass
class Case:
    """How a kind is set up against a receiver, and what its receiver must find."""

    settings: Callable[[str], Mapping[str, Any]]
    find: Callable[[Got], str]  # checks what is documented; returns the text that people see
    fields: Mapping[str, str]  # settings as a user writes them
    answer_ok: Callable[[], web.StreamResponse] = lambda: web.json_response({"errcode": 0, "code": 0, "ok": True})
    answer_busy: Callable[[], web.StreamResponse] = lambda: web.json_response(
        {}, status=429, headers={"Retry-After": "7"}
    )
    busy_s: float = 7.0
    bytes_max: int = 1_000_000


def of_webhook(got: Got) -> str:
    timestamp, _, sign = got.headers["Foliot-Signature"].partition(",v1=")
    seconds = timestamp.removeprefix("t=")
    wanted = hmac.new(CANARY.encode(), f"{seconds}.".encode() + got.body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(sign, wanted)
    assert (got.headers["Foliot-Delivery"], got.headers["Foliot-Timestamp"]) == ("5f0c2a", "1794976110")
    body = json.loads(got.body)
    assert (body["delivery"], body["data"]["rule"], body["level"]) == ("5f0c2a", "night", "critical")
    return str(body["title"] + "".join(body["log"]) + body["link"])


def of_dingtalk(got: Got) -> str:
    text = f"{got.query['timestamp']}\n{CANARY}".encode()
    wanted = base64.b64encode(hmac.new(CANARY.encode(), text, hashlib.sha256).digest()).decode()
    assert (got.query["sign"], got.query["timestamp"], got.query["access_token"]) == (wanted, "1794976110000", "t")
    body = json.loads(got.body)
    assert (body["msgtype"], body["at"]["isAtAll"]) == ("markdown", False)
    assert len(body["markdown"]["title"]) <= 100
    return str(body["markdown"]["text"])


def of_feishu(got: Got) -> str:
    body = json.loads(got.body)
    key = f"{body['timestamp']}\n{CANARY}".encode()
    assert body["sign"] == base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()
    assert (body["timestamp"], body["msg_type"]) == ("1794976110", "interactive")
    assert body["card"]["header"]["template"] in ("red", "green")
    return str(body["card"]["header"]["title"]["content"] + body["card"]["elements"][0]["content"])


def of_wecom(got: Got) -> str:
    body = json.loads(got.body)
    assert body["msgtype"] == "markdown"
    assert len(body["markdown"]["content"].encode()) <= 4096
    return str(body["markdown"]["content"])


def of_slack(got: Got) -> str:
    body = json.loads(got.body)
    types = [block["type"] for block in body["blocks"]]
    assert types[0] == "header"
    assert len(body["blocks"][0]["text"]["text"]) <= 150
    texts = [block["text"]["text"] for block in body["blocks"] if "text" in block]
    assert all(len(text) <= 3000 for text in texts)
    assert "<b>" not in body["text"]
    return json.dumps(body, ensure_ascii=False)


def of_teams(got: Got) -> str:
    body = json.loads(got.body)
    (attachment,) = body["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    return json.dumps(card, ensure_ascii=False)


def of_telegram(got: Got) -> str:
    body = json.loads(got.body)
    assert got.path == f"/bot{CANARY}/sendMessage"
    assert (body["chat_id"], body["parse_mode"]) == ("-100", "HTML")
    assert len(body["text"]) <= 4096
    assert "<b>*job*" not in body["text"]
    assert body["text"].count("<pre>") == body["text"].count("</pre>")
    return str(body["text"])


def of_pagerduty(got: Got) -> str:
    body = json.loads(got.body)
    assert (got.path, body["routing_key"], body["dedup_key"]) == ("/v2/enqueue", CANARY, "alert:7")
    if body["event_action"] == "resolve":
        return MESSAGE.title + "".join(MESSAGE.log) + MESSAGE.link + MESSAGE.repeat_mark
    assert (body["event_action"], body["payload"]["severity"]) == ("trigger", "critical")
    assert len(body["payload"]["summary"]) <= 1024
    return json.dumps(body, ensure_ascii=False)


def of_ntfy(got: Got) -> str:
    body = json.loads(got.body)
    assert (body["topic"], got.headers["Authorization"]) == ("alerts", f"Bearer {CANARY}")
    assert body["priority"] in (5, 2)
    assert len(body["message"].encode()) <= 4096
    return str(body["title"] + body["message"])


def refused(code: int, field: str = "errcode") -> Callable[[], web.StreamResponse]:
    return lambda: web.json_response({field: code, "errmsg": "slow down"})


def telegram_busy() -> web.StreamResponse:
    body = {"ok": False, "error_code": 429, "parameters": {"retry_after": 9}}
    return web.json_response(body)


HOOK = {"webhook": "${secret:HOOK}"}
CASES = {
    "webhook": Case(
        lambda at: {"url": f"{at}/hook", "key": CANARY}, of_webhook, {"url": "https://x.example", "key": "${secret:K}"}
    ),
    "dingtalk": Case(
        lambda at: {"webhook": f"{at}/robot/send?access_token=t", "secret": CANARY},
        of_dingtalk,
        {**HOOK, "secret": "${secret:K}"},
        answer_busy=refused(130101),
        busy_s=600.0,
        bytes_max=20_000,
    ),
    "feishu": Case(
        lambda at: {"webhook": f"{at}/hook/{CANARY}", "secret": CANARY},
        of_feishu,
        {**HOOK, "secret": "${secret:K}"},
        answer_busy=refused(11232, "code"),
        busy_s=60.0,
        bytes_max=20_000,
    ),
    "wecom": Case(
        lambda at: {"webhook": f"{at}/send?key={CANARY}"}, of_wecom, HOOK, answer_busy=refused(45009), busy_s=60.0
    ),
    "slack": Case(lambda at: {"webhook": f"{at}/services/{CANARY}"}, of_slack, HOOK, lambda: web.Response(text="ok")),
    "teams": Case(
        lambda at: {"webhook": f"{at}/w/{CANARY}"}, of_teams, HOOK, lambda: web.Response(status=202), bytes_max=28_000
    ),
    "telegram": Case(
        lambda at: {"token": CANARY, "chat": "-100", "base_url": at},
        of_telegram,
        {"token": "${secret:K}", "chat": "-100"},
        answer_busy=telegram_busy,
        busy_s=9.0,
    ),
    "pagerduty": Case(
        lambda at: {"routing_key": CANARY, "base_url": f"{at}/"},
        of_pagerduty,
        {"routing_key": "${secret:K}"},
        lambda: web.json_response({"status": "success"}, status=202),
    ),
    "ntfy": Case(
        lambda at: {"topic": "alerts", "token": CANARY, "base_url": at},
        of_ntfy,
        {"topic": "alerts", "token": "${secret:K}"},
    ),
}


def test_every_kind_has_a_case_here() -> None:
    assert {*CASES, "email", "apprise"} == set(NOTIFIERS)


@pytest.fixture
async def receiver() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


@pytest.fixture(params=sorted(CASES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_message_arrives_as_the_provider_documents_it(kind: str, receiver: WebReceiver) -> None:
    case = CASES[kind]
    receiver.answer = lambda _: case.answer_ok()
    channel = KINDS.find(kind).make(case.settings(receiver.address), LOOPBACK)
    await channel.send(MESSAGE)
    (got,) = receiver.got
    seen = case.find(got)
    assert "failed" in seen
    assert "foliot.example/runs/r-1" in seen or kind == "ntfy"
    assert "line 1" in seen


async def test_a_possible_repeat_is_marked_and_the_end_is_told(kind: str, receiver: WebReceiver) -> None:
    case = CASES[kind]
    receiver.answer = lambda _: case.answer_ok()
    channel = KINDS.find(kind).make(case.settings(receiver.address), LOOPBACK)
    await channel.send(replace(MESSAGE, is_repeat=True))
    await channel.send(replace(MESSAGE, kind=NoticeKind.RESOLVED))
    repeated, over = receiver.got
    if kind == "webhook":
        assert json.loads(repeated.body)["repeat"] is True
    else:
        assert "possible repeat" in case.find(repeated)
    case.find(over)


async def test_a_long_message_is_cut_to_what_the_provider_takes(kind: str, receiver: WebReceiver) -> None:
    case = CASES[kind]
    receiver.answer = lambda _: case.answer_ok()
    channel = KINDS.find(kind).make(case.settings(receiver.address), LOOPBACK)
    long = replace(MESSAGE, title="标题" * 2000, text="长" * 20_000, log=["行<&>" * 50] * 100)
    await channel.send(long)
    (got,) = receiver.got
    case.find(got)
    assert len(got.body) <= case.bytes_max


async def test_what_is_shown_is_what_is_sent_and_links_stay_in_a_long_message(kind: str, receiver: WebReceiver) -> None:
    case = CASES[kind]
    receiver.answer = lambda _: case.answer_ok()
    channel = KINDS.find(kind).make(case.settings(receiver.address), LOOPBACK)
    long = replace(MESSAGE, log=["行<&>" * 50] * 100)
    for message in (MESSAGE, long):
        await channel.send(message)
        shown, sent = dict(channel.shown(message)), json.loads(receiver.got[-1].body)
        assert shown == {name: value for name, value in sent.items() if name not in ("timestamp", "sign")}
        written = json.dumps(shown, ensure_ascii=False)
        assert CANARY not in written or kind == "pagerduty"
        for wanted in ("due", "任务失败", "foliot.example/runs/r-1", "wiki.example/settle"):
            assert wanted in written


async def test_a_provider_that_is_busy_says_when_to_come_again(kind: str, receiver: WebReceiver) -> None:
    case = CASES[kind]
    receiver.answer = lambda _: case.answer_busy()
    channel = KINDS.find(kind).make(case.settings(receiver.address), LOOPBACK)
    with pytest.raises(NotSent) as failed:
        await channel.send(MESSAGE)
    assert (failed.value.retry_after_s, failed.value.is_final) == (case.busy_s, False)


@pytest.mark.parametrize(("status", "is_final"), [(500, False), (403, False), (400, True), (302, True)])
async def test_a_failure_says_whether_another_try_helps_and_holds_no_secret(
    kind: str, receiver: WebReceiver, status: int, is_final: bool
) -> None:
    body = f"{CANARY} {{}}"
    receiver.answer = lambda _: web.Response(status=status, text=body, headers={"Location": f"{receiver.address}/x"})
    channel = KINDS.find(kind).make(CASES[kind].settings(receiver.address), LOOPBACK)
    with pytest.raises(NotSent) as failed:
        await channel.send(MESSAGE)
    assert failed.value.is_final is is_final
    assert CANARY not in failed.value.why
    assert receiver.address not in failed.value.why
    assert len(receiver.got) == 1


async def test_a_receiver_that_does_not_answer_costs_its_time_and_may_have_got_it(
    kind: str, receiver: WebReceiver
) -> None:
    receiver.hold = asyncio.Event()
    hasty = replace(LOOPBACK, within_s=0.5)
    channel = KINDS.find(kind).make(CASES[kind].settings(receiver.address), hasty)
    with pytest.raises(NotSent) as failed:
        await channel.send(MESSAGE)
    assert failed.value.may_have_arrived


async def test_a_server_reaches_only_what_its_settings_allow(kind: str, receiver: WebReceiver) -> None:
    channel = KINDS.find(kind).make(CASES[kind].settings(receiver.address), NotifyRules())
    with pytest.raises(NotSent, match="loopback") as failed:
        await channel.send(MESSAGE)
    assert CANARY not in failed.value.why
    assert receiver.got == []


@pytest.mark.parametrize("name", sorted(NOTIFIERS))
def test_what_is_secret_must_be_a_reference_and_nothing_else_may_be_one(name: str) -> None:
    schema = KINDS.find(name).schema
    secrets = [field for field, one in schema["properties"].items() if one.get("secret")]
    assert secrets
    for field in secrets:
        with pytest.raises(BadField, match="reference") as refused:
            check_settings(schema, {field: CANARY})
        assert CANARY not in str(refused.value)
    with pytest.raises(BadField):
        check_settings(schema, {"unknown": "x"})


def test_settings_as_users_write_them_are_taken(kind: str) -> None:
    check_settings(KINDS.find(kind).schema, CASES[kind].fields)


def signed(folder: Path) -> tuple[ssl.SSLContext, str]:
    """A receiver's certificate for localhost, and the file of who signed it."""
    authority = Authority.new("receivers")
    files = authority.sign(folder, "receiver", host="localhost")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files.certificate, files.key)
    return context, authority.own(folder / "ca.pem")


async def test_tls_is_verified(tmp_path: Path) -> None:
    context, ca_file = signed(tmp_path)
    async with web_receiver(tls=context) as receiver:
        settings = {"url": f"{receiver.address}/x"}
        with pytest.raises(NotSent, match="certificate"):
            await KINDS.find("webhook").make(settings, LOOPBACK).send(MESSAGE)
        trusting = replace(LOOPBACK, ca_file=ca_file)
        await KINDS.find("webhook").make(settings, trusting).send(MESSAGE)
        assert len(receiver.got) == 1


# ------------------------------------------------------------------------------------------------------------- mail

MAIL = {"host": "localhost", "from": "foliot@example.org", "to": ["anne@example.org", "bo@example.org"]}
LOGIN = {"username": "foliot", "password": "right-password"}


@pytest.mark.parametrize("tls", ["implicit", "starttls"])
async def test_a_mail_goes_over_verified_tls(tmp_path: Path, tls: str) -> None:
    context, ca_file = signed(tmp_path)
    trusting = replace(LOOPBACK, ca_file=ca_file)
    async with mail_receiver(**{tls: context}) as receiver:
        settings = {**MAIL, **LOGIN, "port": receiver.port, "tls": tls}
        await KINDS.find("email").make(settings, trusting).send(replace(MESSAGE, is_repeat=True))
        (envelope,) = receiver.got
        assert receiver.logins == [("foliot", "right-password")]
        assert envelope.rcpt_tos == MAIL["to"]
        shown = envelope.content.decode()
        assert "Message-ID: <5f0c2a@example.org>" in shown
        assert "Foliot-Repeat: possible" in shown
        assert "text/html" in shown
        with pytest.raises(NotSent):
            await KINDS.find("email").make(settings, LOOPBACK).send(MESSAGE)  # it does not know this authority
        wrong = KINDS.find("email").make({**settings, "password": CANARY}, trusting)
        with pytest.raises(NotSent, match="login") as failed:
            await wrong.send(MESSAGE)
        assert CANARY not in failed.value.why
        assert not failed.value.is_final
        assert len(receiver.got) == 1


async def test_a_mail_server_without_starttls_gets_no_mail_and_no_password() -> None:
    async with mail_receiver() as receiver:
        settings = {**MAIL, **LOGIN, "port": receiver.port, "tls": "starttls"}
        with pytest.raises(NotSent):
            await KINDS.find("email").make(settings, LOOPBACK).send(MESSAGE)
        assert (receiver.got, receiver.logins) == ([], [])


@pytest.mark.parametrize(("answer", "is_final"), [("451 later", False), ("554 no", True)])
async def test_a_mail_that_is_refused_says_whether_another_try_helps(answer: str, is_final: bool) -> None:
    async with mail_receiver() as receiver:
        receiver.answer = answer
        settings = {**MAIL, "port": receiver.port, "tls": "none"}
        with pytest.raises(NotSent) as failed:
            await KINDS.find("email").make(settings, LOOPBACK).send(MESSAGE)
        assert failed.value.is_final is is_final
        assert isinstance(receiver, MailReceiver)


@pytest.mark.parametrize(
    "wrong",
    [{"to": ["x\r\nBcc: y@z"]}, {"from": "nobody"}, {"to": []}, {"tls": "none", "password": "long-enough"}],
)
def test_addresses_that_are_none_are_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(BadField):
        KINDS.find("email").make({**MAIL, **wrong}, LOOPBACK)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a module that Apprise imports
async def test_apprise_sends_what_it_knows_if_the_server_allows_it(receiver: WebReceiver) -> None:
    address = receiver.address.removeprefix("http://")
    kind = KINDS.find("apprise")
    with pytest.raises(NotSent, match="allow"):
        await kind.make({"url": f"json://{address}/x"}, LOOPBACK).send(MESSAGE)
    allowed = replace(LOOPBACK, allows_apprise=True)
    await kind.make({"url": f"json://{address}/x"}, allowed).send(MESSAGE)
    assert "failed" in json.loads(receiver.got[0].body)["title"]
    with pytest.raises(NotSent, match="does not know"):
        await kind.make({"url": f"{CANARY}-nothing"}, allowed).send(MESSAGE)
