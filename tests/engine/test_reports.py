"""Reports that are due: each is made once, whoever leads, and reaches mail and web by the outbox."""

import json
from collections.abc import AsyncIterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from typing import Any

import pytest

from foliot.domain.alerts.channel import channel_from
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.reports.period import day_at, start_of_day
from foliot.domain.reports.schedule import next_due, schedule_from
from foliot.engine.reports import Reporting
from foliot.operations.reports import composed_report
from foliot.ports.store import Store
from foliot.ports.store.channels import DeliveryState
from tests.conformance.building import job_of, save
from tests.conformance.receivers import MailReceiver, WebReceiver, mail_receiver, web_receiver
from tests.conformance.test_report_store import ended, keep
from tests.conformance.world import World
from tests.engine.test_delivery import ANNE, Killed, Leader, channel, states
from tests.sql.conftest import migrated_sqlite, postgres_world, store, store_url, world

__all__ = ["migrated_sqlite", "postgres_world", "store", "store_url", "world"]

BERLIN = "Europe/Berlin"


@pytest.fixture
async def web() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


@pytest.fixture
async def mail() -> AsyncIterator[MailReceiver]:
    async with mail_receiver() as found:
        yield found


class Reporter:
    """A leader that makes reports, at an instant."""

    def __init__(self, store: Store, at: Instant) -> None:
        compose = partial(composed_report, store)
        self.at = at
        self._duty = Reporting(store.reports, store.channels, compose, believed_now=lambda: self.at)

    async def round(self, term: int | None = None) -> float | None:
        return await self._duty.report(term)  # type: ignore[arg-type]


async def scheduled(world: World, *to: str, namespace: str | None = "default", **fields: Any) -> Instant:
    """A daily report for these channels, that is due next at the instant that is returned."""
    written = {"kind": "daily", "at": "08:00", "timezone": BERLIN, "to": list(to), **fields}
    schedule = schedule_from("morning", written, namespace=namespace)
    due_at = next_due(schedule, await world.now())
    await world.store.reports.save_schedule(schedule, next_at=due_at, by=ANNE)
    assert due_at is not None
    return due_at


async def mail_channel(world: World, mail: MailReceiver) -> None:
    settings = {"host": "127.0.0.1", "port": mail.port, "tls": "none", "from": "foliot@example.org"}
    written = {"email": {**settings, "to": ["ops@example.org"]}, "language": "zh"}
    await world.store.channels.save(channel_from("mail", written, namespace=None), by=ANNE)


async def ran_on_the_day_before(world: World, due_at: Instant, name: str = "settle") -> None:
    await save(world, name)
    day = start_of_day(BERLIN, day_at(BERLIN, due_at) - 1)
    await keep(world, [ended((await job_of(world, name)).job_id, day + HOUR, failed=True)])


async def test_a_due_report_goes_to_mail_as_html_and_text_and_to_the_web_as_data(
    world: World, web: WebReceiver, mail: MailReceiver
) -> None:
    await mail_channel(world, mail)
    await channel(world, web)
    due_at = await scheduled(world, "mail", "hook")
    await ran_on_the_day_before(world, due_at)
    reporter = Reporter(world.store, due_at - 90 * SECOND)
    assert await reporter.round() == 60.0, "it looks once a minute"
    reporter.at = due_at - SECOND
    assert await reporter.round() == 1.0, "and in time for what is due"
    reporter.at = due_at
    await reporter.round()
    await reporter.round()
    await Leader(world).round()
    (told,) = [json.loads(got.body) for got in web.got]
    assert (told["kind"], told["repeat"]) == ("report", False)
    assert told["facts"]["Most failing"] == "settle: 1"
    assert told["data"]["report"]["failing"][0]["job"] == "settle"
    date = told["data"]["report"]["date"]
    asked = f"tab=daily&date={date}&tz=Europe%2FBerlin&namespace=default"
    assert told["link"] == f"https://f.example/reports?{asked}", "the console's page of it"
    (envelope,) = mail.got
    assert isinstance(envelope.content, bytes)
    letter = message_from_bytes(envelope.content, policy=policy.default)
    assert isinstance(letter, EmailMessage)
    parts = {part.get_content_type(): part.get_content() for part in letter.iter_parts()}
    assert set(parts) == {"text/plain", "text/html"}
    assert "失败最多" in parts["text/plain"], "in the language of the channel"
    assert parts["text/html"].startswith("<!doctype html>")
    assert "settle" in parts["text/html"]


async def test_a_leader_that_dies_in_its_decision_leaves_the_report_to_the_next_one(
    world: World, web: WebReceiver
) -> None:
    def die(place: str) -> None:
        if place == "report.moved":
            raise Killed

    await channel(world, web)
    due_at = await scheduled(world, "hook")
    with pytest.raises(Killed):
        await Reporter(await world.open(point=die), due_at).round()
    assert await states(world) == []
    heir, other = Reporter(world.store, due_at + MINUTE), Reporter(world.store, due_at + MINUTE)
    await heir.round()
    await other.round()
    await Leader(world).round()
    assert (await states(world), len(web.got)) == ([DeliveryState.SENT], 1)
    kept = await world.store.reports.find_schedule("morning", namespace="default")
    assert kept is not None
    assert (kept.last_at, kept.next_at) == (due_at, next_due(kept.schedule, due_at))


async def test_of_reports_that_were_missed_the_latest_is_sent_once(world: World, web: WebReceiver) -> None:
    await channel(world, web)
    due_at = await scheduled(world, "hook", namespace=None, language="zh")
    late = Reporter(world.store, due_at + 3 * DAY + HOUR)
    await late.round()
    await late.round()
    await Leader(world).round()
    (told,) = [json.loads(got.body) for got in web.got]
    report = told["data"]["report"]
    assert report["to_at"] == start_of_day(BERLIN, day_at(BERLIN, due_at + 3 * DAY))
    assert told["text"].startswith("没有执行结束"), "in the language of the schedule"


async def test_a_schedule_that_is_off_sends_nothing(world: World) -> None:
    schedule = schedule_from("morning", {"to": ["hook"], "on": False}, namespace=None)
    await world.store.reports.save_schedule(schedule, next_at=next_due(schedule, 0), by=ANNE)
    assert await Reporter(world.store, 1000 * DAY).round() is None
    assert await states(world) == []
