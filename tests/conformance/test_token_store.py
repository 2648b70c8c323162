"""Tokens and login codes: hashed, expiring, revocable at once, each code good once."""

import asyncio

import pytest

from foliot.domain.access import Scope, TokenNameTaken, TokenNotFound
from foliot.domain.instants import DAY, HOUR, MINUTE, Micros
from foliot.ports.store.tokens import NewToken, TokenStore
from tests.conformance.world import World


@pytest.fixture
def tokens(world: World) -> TokenStore:
    return world.store.tokens


def new(name: str = "ci", *, token_id: str | None = None, lives_us: Micros = 90 * DAY) -> NewToken:
    token_id = token_id or f"t-{name}"
    return NewToken(
        id=token_id,
        name=name,
        hash=f"hash of {token_id}",
        scopes=frozenset({Scope.READ, Scope.RUN}),
        namespace=None,
        group="billing",
        created_by="admin",
        lives_us=lives_us,
    )


async def test_a_token_is_found_by_its_hash_until_it_expires(world: World, tokens: TokenStore) -> None:
    added = await tokens.add(new(lives_us=HOUR))
    found, now = await tokens.find("hash of t-ci")
    assert found == added
    assert found is not None
    assert (found.scopes, found.group, found.namespace) == (new().scopes, "billing", None)
    assert found.is_good(now)
    await world.elapse(HOUR)
    found, now = await tokens.find("hash of t-ci")
    assert found is not None
    assert not found.is_good(now)
    assert await tokens.list() == []
    assert [record.name for record in await tokens.list(include_gone=True)] == ["ci"]


async def test_a_revoked_token_is_not_good_any_more_and_its_name_is_free(tokens: TokenStore) -> None:
    await tokens.add(new())
    with pytest.raises(TokenNameTaken):
        await tokens.add(new(token_id="t-2"))
    await tokens.revoke("t-ci")
    found, now = await tokens.find("hash of t-ci")
    assert found is not None
    assert not found.is_good(now)
    assert await tokens.add(new(token_id="t-2")) is not None
    with pytest.raises(TokenNotFound):
        await tokens.revoke("t-unknown")


async def test_a_token_is_read_by_its_id_good_or_not(tokens: TokenStore) -> None:
    added = await tokens.add(new())
    await tokens.add(new("t-ci", token_id="t-namesake"))
    assert await tokens.by_id("t-ci") == added
    ended = await tokens.revoke("t-ci")
    assert await tokens.by_id("t-ci") == ended
    assert await tokens.by_id("ci") is None


async def test_a_name_whose_token_ran_out_is_free_again(world: World, tokens: TokenStore) -> None:
    await tokens.add(new(lives_us=HOUR))
    await world.elapse(2 * HOUR)
    assert await tokens.add(new(token_id="t-2")) is not None
    assert (await tokens.named("ci")).id == "t-2"


async def test_a_rotated_token_goes_on_for_its_grace(world: World, tokens: TokenStore) -> None:
    await tokens.add(new())
    await tokens.replace("t-ci", new(token_id="t-2"), grace_us=HOUR)
    old, now = await tokens.find("hash of t-ci")
    assert old is not None
    assert old.is_good(now)
    assert (await tokens.named("ci")).id == "t-2"
    assert (await tokens.named("t-ci")).id == "t-ci"
    await world.elapse(HOUR + MINUTE)
    old, now = await tokens.find("hash of t-ci")
    assert old is not None
    assert not old.is_good(now)
    with pytest.raises(TokenNotFound):
        await tokens.replace("t-ci", new(token_id="t-3"), grace_us=HOUR)


async def test_revoking_in_grace_ends_it_at_once_and_never_prolongs_it(tokens: TokenStore) -> None:
    await tokens.add(new())
    await tokens.revoke("t-ci", in_us=HOUR)
    ended = await tokens.revoke("t-ci")
    _, now = await tokens.find("hash of t-ci")
    assert not ended.is_good(now)
    assert (await tokens.revoke("t-ci", in_us=DAY)).revoked_at == ended.revoked_at


async def test_revoking_a_name_ends_every_secret_it_has(world: World, tokens: TokenStore) -> None:
    await tokens.add(new())
    await tokens.add(new("other"))
    await tokens.replace("t-ci", new(token_id="t-2"), grace_us=2 * HOUR)
    await world.elapse(MINUTE)
    await tokens.replace("t-2", new(token_id="t-3"), grace_us=HOUR)
    assert {record.id for record in await tokens.revoke_all("ci")} == {"t-ci", "t-2", "t-3"}
    assert [record.id for record in await tokens.list()] == ["t-other"]
    assert await tokens.revoke_all("ci") == []
    assert await tokens.add(new(token_id="t-4")) is not None, "the name is free"


async def test_revoking_a_name_ends_an_old_secret_that_outlives_the_new_one(world: World, tokens: TokenStore) -> None:
    await tokens.add(new())
    await tokens.replace("t-ci", new(token_id="t-2", lives_us=MINUTE), grace_us=DAY)
    await world.elapse(HOUR)
    assert [record.id for record in await tokens.revoke_all("ci")] == ["t-ci"]
    assert await tokens.list() == []


async def test_two_tokens_of_one_name_may_end_at_the_same_time(tokens: TokenStore) -> None:
    await tokens.add(new())
    for n in range(2, 5):
        await tokens.replace((await tokens.named("ci")).id, new(token_id=f"t-{n}"), grace_us=HOUR)
    ends = [record.revoked_at for record in await tokens.list()]
    assert len(set(ends)) == 4


async def test_the_first_token_of_a_store_is_made_once(tokens: TokenStore) -> None:
    first = await asyncio.gather(
        *(tokens.add(new("bootstrap", token_id=f"t-{i}"), only_if_none=True) for i in range(4))
    )
    assert sum(record is not None for record in first) == 1
    for record in await tokens.list():
        await tokens.revoke(record.id)
    assert await tokens.add(new("bootstrap", token_id="t-9"), only_if_none=True) is None  # "ever", not "now"


async def test_a_login_code_is_good_once_and_not_for_ever(world: World, tokens: TokenStore) -> None:
    await tokens.add_code("code 1", lives_us=15 * MINUTE, created_by="up")
    bought = await asyncio.gather(*(tokens.redeem("code 1", new(f"login {i}", token_id=f"t-{i}")) for i in range(4)))
    assert sum(record is not None for record in bought) == 1
    assert len(await tokens.list()) == 1
    await tokens.add_code("code 2", lives_us=15 * MINUTE, created_by="up")
    await world.elapse(16 * MINUTE)
    assert await tokens.redeem("code 2", new("late", token_id="t-8")) is None
    assert await tokens.redeem("never made", new("late", token_id="t-9")) is None
    assert len(await tokens.list()) == 1


async def test_use_is_noted(tokens: TokenStore) -> None:
    await tokens.add(new())
    await tokens.used("t-ci")
    assert (await tokens.named("ci")).last_used_at is not None
