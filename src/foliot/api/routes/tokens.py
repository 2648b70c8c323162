"""`/tokens`, `/login`, `/whoami`: who may do what, and how one gets in."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response

from foliot.api.auth.authenticator import COOKIE, Authenticator, address_of, secret_of
from foliot.api.auth.rights import Open
from foliot.api.auth.throttle import Throttle
from foliot.api.auth.transport import demand_safe_way
from foliot.api.models.cluster import (
    IssuedOut,
    LoginCodeOut,
    LoginIn,
    MaybeRotateToken,
    NewTokenIn,
    TokenOut,
    TokensOut,
    WhoOut,
)
from foliot.api.models.common import moment
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import PREFIX, READS, WRITES, Admin, Cursor, Reader, Services, problems, read_duration
from foliot.api.route import FoliotRoute
from foliot.domain.access import BadLoginCode, Grant, Principal, parse_scopes
from foliot.domain.instants import SECOND
from foliot.operations import tokens as operations

router: Final = APIRouter(prefix=PREFIX, tags=["access"], route_class=FoliotRoute)


@router.get("/tokens", responses=READS, summary="List tokens")
async def list_tokens(
    services: Services,
    who: Admin,
    all: Annotated[bool, Query(description="Also those that are over.")] = False,  # noqa: A002
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> TokensOut:
    """Newest first, without their secrets."""
    found = await operations.list_tokens(services, who, include_gone=all)
    page, more = page_of(found, lambda token: token.id, limit=limit, cursor=cursor)
    return TokensOut(items=[TokenOut.of(token) for token in page], next_cursor=more)


@router.post("/tokens", responses=WRITES, status_code=201, summary="Make a token")
async def create_token(services: Services, who: Admin, body: NewTokenIn, response: Response) -> IssuedOut:
    """The secret is in this answer and nowhere else."""
    grant = Grant(scopes=parse_scopes(body.scopes), namespace=body.namespace, group=body.group)
    lives_us = read_duration(body.expires, "expires") or 0
    issued = await operations.create_token(services, who, body.name, grant, lives_us=lives_us)
    return _issued(issued, response)


@router.post("/tokens/{name}:rotate", responses=WRITES, summary="A new secret for a token")
async def rotate_token(
    services: Services, who: Admin, name: str, body: MaybeRotateToken, response: Response
) -> IssuedOut:
    """The old secret goes on for the time of grace."""
    grace_us = read_duration(body.grace, "grace") or 0
    issued = await operations.rotate_token(services, who, name, grace_us=grace_us)
    return _issued(issued, response)


@router.delete("/tokens/{name}", responses=WRITES, summary="Revoke a token")
async def revoke_token(services: Services, who: Admin, name: str) -> TokenOut:
    """At once, on every server."""
    return TokenOut.of(await operations.revoke_token(services, who, name))


@router.get("/whoami", responses=READS, summary="Who asks")
async def whoami(who: Reader) -> WhoOut:
    """The token's name, scopes and limits."""
    return _who(who)


@router.post("/login-codes", responses=WRITES, status_code=201, summary="A code for one login")
async def create_login_code(services: Services, who: Admin, response: Response) -> LoginCodeOut:
    """One use, 15 minutes."""
    code, until = await operations.make_login_code(services, who)
    response.headers["Cache-Control"] = "no-store"
    return LoginCodeOut(code=code, path=f"/login#{code}", expires_at=moment(until) or "")


@router.post("/login", responses=problems(write=True), dependencies=[Depends(Open())], summary="Log in with a code")
async def login(request: Request, services: Services, body: LoginIn, response: Response) -> IssuedOut:
    """The token a one-time code buys; with `cookie`, also as the console's session cookie."""
    demand_safe_way(request)
    throttle: Throttle = request.app.state.throttle
    authenticator: Authenticator = request.app.state.authenticator
    address = address_of(request)
    throttle.check(address, body.code)
    try:
        async with authenticator.strangers.turn(address):
            issued = await operations.redeem_login_code(services, body.code)
    except BadLoginCode:
        throttle.wrong(address, body.code)
        raise
    if body.cookie:
        _set_cookie(request, response, issued.secret)
    return _issued(issued, response)


@router.post("/session", responses=WRITES, summary="Keep the token that asks as a session")
async def start_session(request: Request, who: Reader, response: Response) -> WhoOut:
    """The browser that sends its token once gets it back as the console's session cookie."""
    _set_cookie(request, response, secret_of(request))
    response.headers["Cache-Control"] = "no-store"
    return _who(who)


@router.post("/logout", responses=WRITES, status_code=204, summary="End the token that asks")
async def logout(request: Request, services: Services, who: Reader, response: Response) -> None:
    """Its next call is refused; the cookie goes.

    A browser that was given a token of its user's only forgets it: programs may use that token, too.
    """
    await operations.log_out(services, who, by_cookie="authorization" not in request.headers)
    secure: bool = request.app.state.secure_cookies
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax", secure=secure)


def _who(who: Principal) -> WhoOut:
    return WhoOut(name=who.name, scopes=sorted(who.scopes), namespace=who.namespace, group=who.group)


def _set_cookie(request: Request, response: Response, secret: str) -> None:
    """Give the browser its session. No script reads it, and no other site sends it with a change."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=operations.SESSION_LIVES // SECOND,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.app.state.secure_cookies,
    )


def _issued(issued: operations.IssuedToken, response: Response) -> IssuedOut:
    """Return a token with its secret; no browser, proxy or store may keep this answer."""
    response.headers["Cache-Control"] = "no-store"
    return IssuedOut(token=issued.secret, record=TokenOut.of(issued.record))
