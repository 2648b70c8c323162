"""Tokens: make, list, rotate, revoke; the first one of an empty store; one-time login codes (SEC-01, SEC-07).

A token is shown once, when it is made. What is kept is its sha256.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import structlog

from foliot.domain.access import (
    INTERNAL,
    BadLoginCode,
    Grant,
    Principal,
    Scope,
    TokenNameTaken,
    TokenNotFound,
    check_secret,
    login_code,
    plain_code,
)
from foliot.domain.errors import BadField, ClusterTrouble
from foliot.domain.instants import DAY, MINUTE, Instant, Micros
from foliot.domain.names import check_name
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.tokens import NewToken, TokenRecord
from foliot.words.errors import in_one_line

log = structlog.get_logger("foliot.server")

PREFIX: Final = "fol_"
LIVES_DEFAULT: Final[Micros] = 90 * DAY
LIVES_MAX: Final[Micros] = 366 * DAY
LIVES_MIN: Final[Micros] = MINUTE
BOOTSTRAP_LIVES: Final[Micros] = 366 * DAY
SESSION_LIVES: Final[Micros] = 30 * DAY
CODE_LIVES: Final[Micros] = 15 * MINUTE
NAMESAKES_MAX: Final = 10
GRACE_MAX: Final[Micros] = 30 * DAY
BOOTSTRAP: Final = "bootstrap"
LOGIN: Final = "login-"
"""A token that a one-time code bought is called so, and was made by nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A new token with its secret: the only time it can be seen."""

    record: TokenRecord
    secret: str


def hash_of(secret: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(secret.encode()).hexdigest()


async def create_token(
    services: Services, who: Principal, name: str, grant: Grant, *, lives_us: Micros = LIVES_DEFAULT
) -> IssuedToken:
    """A token with these scopes for this long."""
    who.demand_everywhere(Scope.ADMIN)
    if not LIVES_MIN <= lives_us <= LIVES_MAX:
        raise BadField("expires", "a token lives from a minute to a year", hint="90d is usual")
    new, secret = _new(services, who, check_name("token", name), _checked(grant), lives_us)
    record = await services.store.tokens.add(new)
    assert record is not None, name
    await _note(services, who, "token.created", record)
    return IssuedToken(record=record, secret=secret)


def _checked(grant: Grant) -> Grant:
    """Limits are compared with names, so they are names themselves: in their one form, and not empty."""
    namespace = None if grant.namespace is None else check_name("namespace", grant.namespace)
    group = None if grant.group is None else check_name("group", grant.group)
    return replace(grant, namespace=namespace, group=group)


async def list_tokens(services: Services, who: Principal, *, include_gone: bool = False) -> Sequence[TokenRecord]:
    """The tokens that are good, newest first; with `include_gone` also those that were."""
    who.demand_everywhere(Scope.ADMIN)
    return await services.store.tokens.list(include_gone=include_gone)


async def rotate_token(
    services: Services, who: Principal, name_or_id: str, *, grace_us: Micros, lives_us: Micros | None = None
) -> IssuedToken:
    """A new secret under the same name; the old one goes on for the time of grace."""
    who.demand_everywhere(Scope.ADMIN)
    if not 0 <= grace_us <= GRACE_MAX:
        raise BadField("grace", "it is longer than 30 days")
    old = await services.store.tokens.named(name_or_id)
    grant = Grant(scopes=old.scopes, namespace=old.namespace, group=old.group)
    if lives_us is None:  # as long as the old one
        lives_us = min(old.expires_at - old.created_at, LIVES_MAX)
    new, secret = _new(services, who, old.name, grant, lives_us, line=old.line)
    record = await services.store.tokens.replace(old.id, new, grace_us=grace_us)
    await _note(services, who, "token.rotated", record)
    return IssuedToken(record=record, secret=secret)


async def revoke_token(services: Services, who: Principal, name_or_id: str) -> TokenRecord:
    """End a token at once: by its name with every secret it has, by an id that one secret alone."""
    who.demand_everywhere(Scope.ADMIN)
    ended = list(await services.store.tokens.revoke_all(name_or_id))
    if not ended:
        found = await services.store.tokens.named(name_or_id)
        ended = [await services.store.tokens.revoke(found.id)]
    for record in ended:
        await _note(services, who, "token.revoked", record)
    return ended[0]


class FirstTokenNotUsed(ClusterTrouble):
    """A server was given a first token, and the store had one before."""

    code = "FOL-5041"

    def __init__(self) -> None:
        super().__init__(
            "The store has had a first token before, and the one of --bootstrap-token-file is not known to it.",
            hint="use a token of the store; a server that started without --bootstrap-token-file has printed one",
        )


async def bootstrap(services: Services, *, given: str | None = None) -> str | None:
    """Make the first token of a store: the given secret, or a fresh one. Return None when the store had one before."""
    if given is not None:
        given = check_secret(given)
    scopes = frozenset({Scope.ADMIN, Scope.WORKER})
    new, secret = _new(services, INTERNAL, BOOTSTRAP, Grant(scopes=scopes), BOOTSTRAP_LIVES, secret=given)
    record = await services.store.tokens.add(new, only_if_none=True)
    if record is None and given is not None:
        known, _ = await services.store.tokens.find(hash_of(given))
        if known is None:  # another server was first, or the token is of another store
            log.warning("bootstrap.not_used", why=in_one_line(FirstTokenNotUsed()))
    return None if record is None else secret


async def issue_for_this_machine(services: Services, name: str, grant: Grant) -> IssuedToken:
    """A token for programs on the server's own machine. Where a person gave its name to a token, it gets a number."""
    for number in range(1, NAMESAKES_MAX + 1):
        numbered = name if number == 1 else f"{name}-{number}"
        new, secret = _new(services, INTERNAL, numbered, grant, SESSION_LIVES)
        try:
            record = await services.store.tokens.add(new)
        except TokenNameTaken:
            continue
        assert record is not None, numbered
        return IssuedToken(record=record, secret=secret)
    raise TokenNameTaken(name)


async def renew_for_this_machine(services: Services, issued: IssuedToken) -> IssuedToken:
    """Another secret of the same token; the old one goes on for a day, for programs that have read it."""
    old = issued.record
    grant = Grant(scopes=old.scopes, namespace=old.namespace, group=old.group)
    new, secret = _new(services, INTERNAL, old.name, grant, SESSION_LIVES, line=old.line)
    record = await services.store.tokens.replace(old.id, new, grace_us=DAY)
    return IssuedToken(record=record, secret=secret)


async def end_for_this_machine(services: Services, is_mine: Callable[[str], bool]) -> None:
    """End what `issue_for_this_machine` made under names like these: of this process, or of one that was killed."""
    for token in await services.store.tokens.list():
        if token.created_by == INTERNAL.name and is_mine(token.name):
            await services.store.tokens.revoke(token.id)


async def make_login_code(services: Services, who: Principal) -> tuple[str, Instant]:
    """A code for one login within 15 minutes, and until when it is good."""
    who.demand_everywhere(Scope.ADMIN)
    code = login_code(services.chance.token())
    code_hash = hash_of(plain_code(code))
    until = await services.store.tokens.add_code(code_hash, lives_us=CODE_LIVES, created_by=who.name)
    return code, until


async def redeem_login_code(services: Services, written: str) -> IssuedToken:
    """The token a code buys; `BadLoginCode` for one that is wrong, used or too old."""
    name = f"{LOGIN}{services.chance.token()[:8]}"
    new, secret = _new(services, INTERNAL, name, Grant(scopes=frozenset({Scope.ADMIN})), SESSION_LIVES)
    record = await services.store.tokens.redeem(hash_of(plain_code(written)), new)
    if record is None:
        raise BadLoginCode
    await _note(services, INTERNAL, "login.redeemed", record)
    return IssuedToken(record=record, secret=secret)


async def log_out(services: Services, who: Principal, *, by_cookie: bool) -> None:
    """End the token that asks. One that its user gave a browser goes on: it was not made for this session alone."""
    if by_cookie and await _is_a_users_own(services, who.token_id):
        return
    with suppress(TokenNotFound):  # it was revoked meanwhile, and forgotten
        await services.store.tokens.revoke(who.token_id)


async def _is_a_users_own(services: Services, token_id: str) -> bool:
    """Whether a token is known to be of a user, and not made for one session: in doubt it is to end."""
    token = await services.store.tokens.by_id(token_id)
    if token is None:
        return False
    return token.created_by != INTERNAL.name or not token.name.startswith(LOGIN)


def _new(
    services: Services,
    who: Principal,
    name: str,
    grant: Grant,
    lives_us: Micros,
    *,
    secret: str | None = None,
    line: str | None = None,
) -> tuple[NewToken, str]:
    secret = secret or PREFIX + services.chance.secret()
    new = NewToken(
        id=f"t-{services.chance.token()[:12]}",
        name=name,
        hash=hash_of(secret),
        scopes=grant.scopes,
        namespace=grant.namespace,
        group=grant.group,
        created_by=who.name,
        lives_us=lives_us,
        line=line,
    )
    return new, secret


async def _note(services: Services, who: Principal, kind: str, record: TokenRecord) -> None:
    await note(
        services,
        Happening(
            key=f"{kind}:{record.id}",
            topic=Topic.CLUSTER,
            kind=kind,
            subject=record.name,
            by=who.name,
            data={"scopes": ",".join(sorted(record.scopes)), "id": record.id},
        ),
    )
