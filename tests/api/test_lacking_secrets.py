"""Servers that lack a secret of a channel are named: in lists, in the test of a channel, and by the checkup."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.domain.alerts.channel import Channel
from foliot.domain.verdict import judge
from foliot.ports.worker_link import Beat
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage
from tests.api.test_alert_previews import add


@pytest.fixture
def stage(stage: Stage) -> Stage:
    """The server that answers is `here`, and it has every secret."""

    async def lacks(channels: Sequence[Channel]) -> Sequence[str]:
        assert [one.name for one in channels] == ["oncall"]
        return ()

    kinds = InstalledNotifiers().schemas
    stage.services = replace(stage.services, channel_kinds=kinds, lacks_secrets=lacks, node_name="here")
    return stage


async def beat(stage: Stage, name: str, **load: float) -> None:
    """A server that says this in its beat."""
    session = await stage.server(name)
    said = Beat(session=session, beat_no=1, settled=0, held=(), load=load)
    await stage.store.nodes.beat(said, ttl_us=TIMES.ttl_us, judge=judge)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
async def test_each_server_that_lacks_a_secret_is_named_with_the_next_step(api: Api, language: str) -> None:
    await add(api, "oncall", "slack")
    await beat(api.stage, "s-1", **{"lacks_secret.HOOK": 1.0, "lacks_secret.OTHER": 1.0})
    await beat(api.stage, "s-2")
    await beat(api.stage, "here", **{"lacks_secret.HOOK": 1.0})
    said = {"Accept-Language": language}
    (listed,) = (await api.ask("GET", "/channels", headers=said)).json()["items"]
    seen = (await api.ask("GET", "/channels/oncall", headers=said)).json()
    for one in (listed, seen):
        assert one["lacking"] == {"s-1": ["HOOK"]}, "the server that answers looks anew"
        (warning,) = one["warnings"]
        assert (warning["code"], "--notify" in warning["hint"]) == ("FOL-1394", True)
        for piece in ("s-1", "HOOK", "oncall"):
            assert piece in warning["message"]


async def test_the_checkup_finds_servers_that_lack_secrets(api: Api) -> None:
    await beat(api.stage, "s-2")
    assert await found(api) == ("OK", None)
    await beat(api.stage, "s-1", **{"lacks_secret.HOOK": 1.0})
    assert await found(api) == ("WARNING", "s-1")


async def found(api: Api) -> tuple[str, str | None]:
    checks = (await api.get("/cluster/doctor")).json()
    (one,) = [one for one in checks["findings"] if one["check"] == "business.channels"]
    return one["level"], one["subject"]
