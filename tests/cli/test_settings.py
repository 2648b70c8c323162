"""The settings of a server as its users see them: each value, and who gave it. No secret is among them."""

from collections.abc import Mapping
from typing import Any

import click
import pytest
from click.testing import CliRunner

from foliot.cli.effective_settings import effective_settings
from foliot.cli.server import server
from foliot.cli.up import up
from foliot.domain.effective_settings import EffectiveSetting
from tests.cli.conftest import Shell


def settings_of(command: click.Command, *words: str, **environment: str) -> dict[str, EffectiveSetting]:
    """What a command would tell, without running it."""
    cleared: Mapping[str, str | None] = dict.fromkeys(("FOLIOT_DB", "FOLIOT_COORD", "FOLIOT_STANDBY"))
    with CliRunner().isolation(env={**cleared, **environment}), command.make_context("foliot", list(words)):
        return {one.name: one for one in effective_settings()}


def told(setting: EffectiveSetting) -> tuple[str, str, str]:
    return setting.value, setting.source.value, setting.place


def test_each_value_says_who_gave_it() -> None:
    found = settings_of(server, "--node", "s-1", FOLIOT_DB="postgresql://foliot@db/foliot", FOLIOT_STANDBY="yes")
    assert told(found["node"]) == ("s-1", "flag", "--node")
    assert told(found["db"]) == ("postgresql://foliot@db/foliot", "environment", "FOLIOT_DB")
    assert told(found["standby"]) == ("yes", "environment", "FOLIOT_STANDBY")
    assert told(found["coord"]) == ("store", "default", "--coord")
    assert told(found["advertise"]) == ("", "default", "--advertise")
    assert "timing" not in found, "what users cannot set is not told"
    assert all(one.meaning for name, one in found.items() if name not in ("log-level", "log-format"))


def test_a_value_in_a_file_stays_there(tmp_path: Any) -> None:
    file = tmp_path / "db"
    file.write_text("postgresql://foliot:geheim@db/foliot")
    found = settings_of(server, "--db-file", str(file))
    assert told(found["db"]) == ("", "file", str(file))
    assert "db-file" not in found


@pytest.mark.parametrize("url", ["postgresql://foliot:geheim@db/foliot", "mariadb://db/foliot?password=geheim"])
def test_no_secret_is_told(url: str) -> None:
    found = settings_of(server, "--db", url, "--coord", "redis://:geheim@one:6379")
    assert found["db"].value == url.replace("geheim", "***")
    assert not any("geheim" in str(one) for one in found.values())
    found = settings_of(up, "--handler-option", "http.token=geheim")
    assert found["handler-option"].value == "***"


def test_the_settings_of_a_running_server_are_a_command_away(foliot: Shell) -> None:
    found = {one["name"]: one for one in foliot("cluster", "settings", "-o", "json").json["items"]}
    assert (found["data"]["source"], found["no-watch"]["source"]) == ("default", "flag")
    shown = foliot("cluster", "settings").out
    assert shown.splitlines()[0].split() == ["SETTING", "VALUE", "SOURCE", "FROM"]
    chinese = foliot("cluster", "settings", "-o", "json", FOLIOT_LANG="zh-CN").json["items"]
    assert {one["name"]: one["meaning"] for one in chinese}["data"] != found["data"]["meaning"]
