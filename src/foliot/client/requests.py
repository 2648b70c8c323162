"""Requests: to which server, how often, how long; and what an answer means. Shared by both clients; no I/O here."""

from typing import Any, Final

import httpx2
import msgspec

from foliot.client.calls import Call
from foliot.client.endpoint import Endpoint
from foliot.client.errors import StrangeAnswer, error_of, unreached
from foliot.client.machine import Machine
from foliot.domain.errors import FoliotError
from foliot.domain.queue_limits import QueueFull

CONNECT_WITHIN_S: Final = 3.0
ROUNDS_REFUSED_MAX: Final = 2
PAUSE_FIRST_S: Final = 0.1
PAUSE_MAX_S: Final = 2.0
_GATEWAY_TROUBLE: Final = frozenset({502, 503, 504})
_NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout)


class Servers:
    """The servers of a cluster. Any of them answers; the one that answered last is asked first."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._urls = endpoint.urls
        self._at = 0

    @property
    def url(self) -> str:
        return self._urls[self._at]

    def __len__(self) -> int:
        return len(self._urls)

    def turn(self) -> None:
        """The next one, please."""
        self._at = (self._at + 1) % len(self._urls)


class Tries:
    """The tries of one call: on to the next server when one is away, in rounds, until the time is over."""

    def __init__(self, call: Call, servers: Servers, machine: Machine, *, within_s: float) -> None:
        self._servers = servers
        self._machine = machine
        self._until = machine.monotonic() + within_s + call.wait_s
        self._tried = 0

    def failed(self, error: httpx2.RequestError) -> float:
        """No answer: how long to pause before the next try, or `ServerAway`."""
        away = unreached(self._servers.url, _why(error))
        refused_for_good = isinstance(error, _NEVER_SENT) and self._rounds + 1 >= ROUNDS_REFUSED_MAX
        return self._next(away, give_up=refused_for_good and self._is_end_of_round)

    def may_be_tls(self, error: httpx2.RequestError) -> bool:
        """Whether the server hung up without a word, as one does that speaks TLS and was asked without it."""
        is_cut = isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError)
        return is_cut and self._servers.url.startswith("http:")

    def answered(self, response: httpx2.Response) -> float | None:
        """None when the answer counts; else how long to pause before the next try."""
        after = response.headers.get("retry-after", "")
        if response.status_code in (409, 429) and after.isdigit() and not _is_full(response):
            pause = float(after)
            if self._machine.monotonic() + pause > self._until:
                raise refusal(response)
            return pause
        if response.status_code in _GATEWAY_TROUBLE:
            return self._next(refusal(response), give_up=False)
        if age_of(response) is not None and self._rounds == 0 and not self._is_end_of_round:
            # This server alone may be cut off from the store: the next one may have a newer answer.
            self._tried += 1
            self._servers.turn()
            return 0.0
        return None

    @property
    def _rounds(self) -> int:
        return self._tried // len(self._servers)

    @property
    def _is_end_of_round(self) -> bool:
        return (self._tried + 1) % len(self._servers) == 0

    def _next(self, error: FoliotError, *, give_up: bool) -> float:
        pause = min(PAUSE_FIRST_S * 2**self._rounds, PAUSE_MAX_S) if self._is_end_of_round else 0.0
        self._tried += 1
        self._servers.turn()
        if give_up or self._machine.monotonic() + pause >= self._until:
            raise error
        return pause


def _is_full(response: httpx2.Response) -> bool:
    """Whether too many runs of a job wait: the user hears of it at once, and decides when to ask again."""
    return response.status_code == 429 and isinstance(refusal(response), QueueFull)


def read(response: httpx2.Response) -> Any:
    """The answer's JSON, or the error it stands for."""
    if not response.is_success:
        raise refusal(response)
    if not response.content:
        return None
    try:
        return msgspec.json.decode(response.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise strange(response) from None


def age_of(response: httpx2.Response) -> int | None:
    """How many seconds old an answer is at most that a replica gave; None: the store gave it."""
    said = response.headers.get("foliot-replica-age", "")
    return int(said) if said.isdecimal() else None


def refusal(response: httpx2.Response) -> FoliotError:
    """The error an unsuccessful answer stands for."""
    try:
        problem = msgspec.json.decode(response.content, type=dict[str, Any])
    except (msgspec.DecodeError, httpx2.ResponseNotRead):
        problem = {}
    return error_of(response.status_code, problem, url=address_of(response))


def strange(response: httpx2.Response) -> StrangeAnswer:
    """What is said of an answer that no Foliot server gives."""
    return StrangeAnswer(address_of(response), str(response.headers.get("content-type", "")))


def address_of(response: httpx2.Response) -> str:
    """Where an answer came from, without the query."""
    return str(response.request.url.copy_with(query=None))


def request_of(call: Call, url: str, token: str | None) -> dict[str, Any]:
    """What `httpx2` wants to know of a call."""
    headers = {"Accept": "application/json, application/problem+json", **call.headers}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    content = None
    if call.body is not None:
        content = msgspec.json.encode(call.body)
        headers["Content-Type"] = "application/json"
    return {
        "method": call.method,
        "url": url + call.path,
        "params": dict(call.query),
        "headers": headers,
        "content": content,
    }


def timeout_of(call: Call, within_s: float) -> httpx2.Timeout:
    """How long one try may take."""
    return httpx2.Timeout(within_s + call.wait_s, connect=min(CONNECT_WITHIN_S, within_s))


def _why(error: httpx2.RequestError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "it took too long"
    text = str(error) or type(error).__name__
    return (
        "connection refused" if "refused" in text.lower() or "all connection attempts failed" in text.lower() else text
    )
