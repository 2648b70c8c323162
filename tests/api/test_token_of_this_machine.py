"""The token of `foliot up`: one per machine, known by its name, renewed in time, and back when somebody ended it."""

import pytest

from foliot.app.this_machine import LocalToken, token_name
from foliot.domain.access import Grant, Principal, Scope
from foliot.operations.tokens import create_token, hash_of, issue_for_this_machine, revoke_token, rotate_token
from foliot.ports.store.tokens import TokenRecord
from tests.api.stage import Stage

ADMIN = Grant(scopes=frozenset({Scope.ADMIN}))
PERSON = Principal(name="ops", scopes=ADMIN.scopes)
MINE = "foliot-up-on-my-laptop"


async def good(stage: Stage) -> list[str]:
    return [token.name for token in await stage.store.tokens.list()]


async def is_good(stage: Stage, secret: str) -> bool:
    record, now = await stage.store.tokens.find(hash_of(secret))
    assert isinstance(record, TokenRecord)
    return record.is_good(now)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("my-laptop", MINE),
        ("web 1/eu", "foliot-up-on-web-1-eu"),
        ("计算", "foliot-up-on--"),
        ("h" * 200, "foliot-up-on-" + "h" * 60),
    ],
)
def test_a_person_knows_it_by_its_name(host: str, name: str) -> None:
    assert token_name(host) == name


async def test_a_machine_has_one_also_after_others_were_killed(stage: Stage) -> None:
    before = await LocalToken.issue(stage.services, "my-laptop")
    await issue_for_this_machine(stage.services, "this-machine-0a1b2c3d", ADMIN)  # as an older Foliot called it
    now = await LocalToken.issue(stage.services, "my-laptop")
    assert await good(stage) == [MINE]
    assert not await is_good(stage, before.secret)
    assert await is_good(stage, now.secret)
    await now.end()
    assert await good(stage) == []


async def test_it_is_renewed_long_before_it_ends_and_programs_that_read_it_go_on(stage: Stage) -> None:
    token = await LocalToken.issue(stage.services, "my-laptop")
    first = token.secret
    stage.elapse("14d")
    assert not await token.renew()
    stage.elapse("2d")
    assert await token.renew()
    assert token.secret != first
    assert await is_good(stage, first)
    assert await is_good(stage, token.secret)
    stage.elapse("25h")
    assert not await is_good(stage, first)
    for _ in range(4):
        stage.elapse("29d")
        await token.renew()
        assert await is_good(stage, token.secret)
        assert set(await good(stage)) == {MINE}
    await token.end()
    assert await good(stage) == []


async def test_who_ends_it_is_not_locked_out(stage: Stage) -> None:
    token = await LocalToken.issue(stage.services, "my-laptop")
    revoked = token.secret
    await revoke_token(stage.services, PERSON, MINE)
    assert not await is_good(stage, revoked)
    assert await token.renew()
    assert not await is_good(stage, revoked), "what was revoked stays so"
    assert await is_good(stage, token.secret)
    rotated = await rotate_token(stage.services, PERSON, MINE, grace_us=0)
    assert await token.renew()
    assert await is_good(stage, token.secret)
    assert await is_good(stage, rotated.secret)


async def test_a_token_that_a_person_gave_that_name_stays(stage: Stage) -> None:
    theirs = await create_token(stage.services, PERSON, MINE, ADMIN)
    token = await LocalToken.issue(stage.services, "my-laptop")
    assert set(await good(stage)) == {MINE, f"{MINE}-2"}
    await token.end()
    assert await good(stage) == [MINE]
    assert await is_good(stage, theirs.secret)
