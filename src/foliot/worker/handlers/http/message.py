"""The request of a job: its options read once, and filled with the values of each run."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias, TypeVar

from msgspec import UNSET

from foliot.domain.errors import BadDuration, BadField
from foliot.domain.instants import DAY, SECOND, parse_duration
from foliot.domain.json_check import BadCheck, JsonCheck, check_from
from foliot.domain.template import BadTemplate, Name, NotFilled, RunValues, Template, filled, filled_value, parsed
from foliot.worker.handlers.http.caller import HttpRequest
from foliot.worker.handlers.http.errors import HttpUnfit
from foliot.worker.handlers.http.options import HmacAuth, HttpExpect, HttpOptions, HttpTimes
from foliot.worker.handlers.http.settings import KIND
from foliot.worker.handlers.http.statuses import StatusSet
from foliot.worker.handlers.http.urls import BadUrl, HttpUrl, encoded_rest, path_checked, percent_encoded
from foliot.worker.handlers.http.wait_plan import WaitPlan, wait_plan_of
from foliot.worker.handlers.options import read_options

BODY_MAX: Final = 1024 * 1024
HEADERS_MAX: Final = 100
HEADER_VALUE_MAX: Final = 8_000
TOTAL_MAX_US: Final = 7 * DAY

OWN_HEADERS: Final = frozenset(
    {"foliot-attempt", "foliot-callback", "foliot-callback-token",
     "foliot-due", "foliot-fence", "foliot-job", "foliot-run", "idempotency-key", "traceparent",
     "user-agent"}
)  # fmt: skip
"""What Foliot says with each request."""
CONNECTION_HEADERS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
     "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)  # fmt: skip
"""What belongs to the connection, not to the job."""
CREDENTIAL_HEADERS: Final = frozenset({"authorization", "cookie", "x-api-key", "x-auth-token"})

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}\Z")
_LINE: Final = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*\Z")  # no CR, LF, NUL or other control character
_ORIGIN: Final = re.compile(r"[A-Za-z]+://[^/?]*")
_WHERE: Final = f"run.{KIND}"

Tree: TypeAlias = Any
"""A JSON value in which a `Template` stands for each text that has places."""
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Options of a job, ready to be filled."""

    options: HttpOptions
    method: str
    scheme: str
    host: str
    port: int
    path: Template
    query: Template
    queries: Mapping[str, Tree]
    headers: Mapping[str, Template]
    body: Tree
    auth: Tree
    statuses: StatusSet
    checks: tuple[JsonCheck, ...]
    seconds: Mapping[str, float]  # for each step
    secrets: tuple[str, ...]  # names of those that it uses
    wait: WaitPlan | None  # how its runs wait for work that goes on elsewhere

    def filled(
        self, values: RunValues, *, namespace: str, own_headers: Mapping[str, str], signed_at: int
    ) -> HttpRequest:
        """The request of one run; `HttpUnfit` when a value does not fit where it goes."""
        url = HttpUrl(
            self.scheme,
            self.host,
            self.port,
            _fitting(f"{_WHERE}.url", partial(self._path, values)),
            _fitting(f"{_WHERE}.url", partial(self._query, values)),
        )
        content_type, body = _body(self.body, values)
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        for name, template in self.headers.items():
            _put(headers, name, _fitting(f"{_WHERE}.headers.{name}", partial(_header, template, values)))
        for name, value in self._auth_headers(values, url, body, signed_at):
            _put(headers, name, value)
        return HttpRequest(
            method=self.method,
            url=url,
            shown=f"{self.method} {url}",
            namespace=namespace,
            headers=(*headers.items(), *own_headers.items()),
            body=body,
            tls=self.options.tls,
            redirects=self.options.redirects,
            connect_s=self.seconds["connect"],
            read_s=self.seconds["read"],
            total_s=self.seconds["total"],
        )

    def signed_again(self, request: HttpRequest, values: RunValues, signed_at: int) -> HttpRequest:
        """A later request. One that still has the signature of the first, as it goes to the same server, is signed."""
        if "hmac" not in self.auth:
            return request
        headers = dict(request.headers)
        how: HmacAuth = self.auth["how"]
        if how.header not in headers:
            return request
        key = _fitting(f"{_WHERE}.auth.hmac.key", partial(filled, self.auth["hmac"], values))
        _put(headers, how.header, signature(how, key, request.method, request.url, request.body, signed_at))
        return replace(request, headers=tuple(headers.items()))

    def parameters(self) -> Iterator[tuple[str, str]]:
        """The parameters that it names, each with the option that does."""
        wait = self.wait
        trees = {
            "url": (self.path, self.query),
            "query": self.queries,
            "headers": self.headers,
            "body": self.body,
            "auth": self.auth,
            "poll.url": None if wait is None or wait.poll is None else wait.poll.target.url,
            "cancel.url": None if wait is None or wait.cancel is None else wait.cancel.target.url,
        }
        for option, tree in trees.items():
            for name in _names(tree):
                if name.parameter is not None:
                    yield f"{_WHERE}.{option}", name.parameter

    def _path(self, values: RunValues) -> str:
        return path_checked(filled(self.path, values, _segment))

    def _query(self, values: RunValues) -> str:
        given = filled(self.query, values, percent_encoded)
        added = "&".join(f"{percent_encoded(name)}={value}" for name, value in _pairs(self.queries, values))
        return "&".join(part for part in (given, added) if part)

    def _auth_headers(self, values: RunValues, url: HttpUrl, body: bytes, signed_at: int) -> Iterator[tuple[str, str]]:
        auth = self.auth
        where = f"{_WHERE}.auth"
        if "bearer" in auth:
            token = _fitting(f"{where}.bearer", partial(_header, auth["bearer"], values))
            yield "Authorization", f"Bearer {token}"
        elif "basic" in auth:
            user, password = (_fitting(f"{where}.basic", partial(filled, part, values)) for part in auth["basic"])
            if ":" in user:
                raise HttpUnfit(f"{where}.basic.user", "the name of a user has no colon")
            yield "Authorization", "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        elif "hmac" in auth:
            how: HmacAuth = auth["how"]
            key = _fitting(f"{where}.hmac.key", partial(filled, auth["hmac"], values))
            yield how.header, signature(how, key, self.method, url, body, signed_at)


@lru_cache(maxsize=512)
def message_from(options_text: str) -> Message:
    """The same from JSON text, as a run carries it; jobs run often with the same options."""
    return message_of(json.loads(options_text))


def message_of(written: Any) -> Message:
    """Read the options of a job; `BadField` names the one that cannot be used."""
    options = read_options(KIND, written, HttpOptions)
    scheme, host, port, path, query = _url(options.url)
    expect = options.expect if isinstance(options.expect, HttpExpect) else HttpExpect(status=options.expect)
    checks = [expect.json] if isinstance(expect.json, str) else expect.json
    body, auth = _body_tree(options), _auth_tree(options)
    headers = _headers(options.headers)
    queries = {name: _tree(value, f"{_WHERE}.query.{name}") for name, value in options.query.items()}
    wait = wait_plan_of(options)
    used = [name for tree in (path, query, queries, headers, body, auth) for name in _names(tree)]
    _check_callback(used, wait)
    names = [name.secret for name in used]
    return Message(
        options=options,
        method=options.method or ("GET" if options.body is None else "POST"),
        scheme=scheme,
        host=host,
        port=port,
        path=path,
        query=query,
        queries=queries,
        headers=headers,
        body=body,
        auth=auth,
        statuses=StatusSet.of(expect.status, f"{_WHERE}.expect"),
        checks=tuple(_check(check) for check in checks),
        seconds=_seconds(options.timeout),
        secrets=tuple(dict.fromkeys(secret for secret in names if secret is not None)),
        wait=wait,
    )


def _check_callback(used: list[Name], wait: WaitPlan | None) -> None:
    """A job that names its callback must have one."""
    named = next((name for name in used if name.written.startswith("callback.")), None)
    if named is not None and (wait is None or not wait.has_callback):
        raise BadField(f"{_WHERE}.callback", f"${{{named.written}}} is used, and the job has no callback")


def signature(how: HmacAuth, key: str, method: str, url: HttpUrl, body: bytes, signed_at: int) -> str:
    """What the header of a signature says.

    Over the body: `sha256=<hex>`, as many receivers of web-hooks expect it. Over the request: `t=<seconds>,v1=<hex>`;
    the signed text is the seconds, the method, the target and the body, each but the last followed by a line feed.
    """
    if how.over == "body":
        return f"{how.algorithm}={hmac.new(key.encode(), body, how.algorithm).hexdigest()}"
    text = f"{signed_at}\n{method}\n{url.target}\n".encode() + body
    return f"t={signed_at},v1={hmac.new(key.encode(), text, how.algorithm).hexdigest()}"


def idempotency_key(namespace: str, job: str, run: str, due: str) -> str:
    """The same for every attempt of a run, and for no other run."""
    return hashlib.blake2b("\n".join((namespace, job, run, due)).encode(), digest_size=16).hexdigest()


# ------------------------------------------------------------------------------------------------------- reading


def _url(written: str) -> tuple[str, str, int, Template, Template]:
    """Scheme, host and port, which no run changes; path and query, which it may fill."""
    where = f"{_WHERE}.url"
    template = _template(written, where)
    try:
        whole = HttpUrl.read("".join(part if isinstance(part, str) else "x" for part in template.parts))
    except BadUrl as error:
        raise BadField(where, str(error), hint="write https://example.org/path") from None
    first = template.parts[0] if isinstance(template.parts[0], str) else ""
    origin = _ORIGIN.match(first)
    if origin is None or (origin.end() == len(first) and len(template.parts) > 1):
        raise BadField(where, "its scheme, host and port cannot be filled by a run", hint="write them out")
    path, query = _divided((first[origin.end() :], *template.parts[1:]))
    return whole.scheme, whole.host, whole.port, Template(path or ("/",)), Template(query)


def _divided(parts: tuple[str | Name, ...]) -> tuple[tuple[str | Name, ...], tuple[str | Name, ...]]:
    """What stands before and behind the first question mark."""
    for at, part in enumerate(parts):
        if isinstance(part, str) and "?" in part:
            before, _, behind = part.partition("?")
            path, query = (*parts[:at], before), (behind, *parts[at + 1 :])
            return tuple(map(_written_out, path)), tuple(map(_written_out, query))
    return tuple(map(_written_out, parts)), ()


def _written_out(part: str | Name) -> str | Name:
    return part if isinstance(part, Name) else encoded_rest(part)


def _headers(written: Mapping[str, str]) -> dict[str, Template]:
    if len(written) > HEADERS_MAX:
        raise BadField(f"{_WHERE}.headers", f"there are more than {HEADERS_MAX}")
    headers = {}
    for name, value in written.items():
        where = f"{_WHERE}.headers.{name[:100]}"
        if not _TOKEN.match(name):
            raise BadField(f"{_WHERE}.headers", "a name holds a character that no header has")
        if name.lower() in OWN_HEADERS:
            raise BadField(where, "Foliot sets this header itself")
        if name.lower() in CONNECTION_HEADERS:
            raise BadField(where, "this header belongs to the connection")
        template = _template(value, where)
        if not all(_LINE.match(part) for part in template.parts if isinstance(part, str)):
            raise BadField(where, "it holds a line break or another control character")
        if name.lower() in CREDENTIAL_HEADERS and not _has_secret(template):
            raise BadField(where, "it holds no secret", hint="write ${secret:NAME}: options are kept in plain text")
        headers[name] = template
    return headers


def _body_tree(options: HttpOptions) -> Tree:
    if options.body is None:
        return {}
    kinds = ("json", "form", "text")
    given = {kind: value for kind in kinds if (value := getattr(options.body, kind)) is not UNSET}
    if len(given) != 1:
        raise BadField(f"{_WHERE}.body", "it is not exactly one of json, form and text")
    return {kind: _tree(value, f"{_WHERE}.body.{kind}") for kind, value in given.items()}


def _auth_tree(options: HttpOptions) -> Tree:
    auth, where = options.auth, f"{_WHERE}.auth"
    if auth is None:
        return {}
    if sum(way is not None for way in (auth.basic, auth.bearer, auth.hmac)) != 1:
        raise BadField(where, "it is not exactly one of basic, bearer and hmac")
    if "Authorization".lower() in map(str.lower, options.headers) and auth.hmac is None:
        raise BadField(where, "there is a header Authorization as well", hint="keep one of them")
    if auth.bearer is not None:
        return {"bearer": _secret(auth.bearer, f"{where}.bearer")}
    if auth.basic is not None:
        user = _template(auth.basic.user, f"{where}.basic.user")
        return {"basic": (user, _secret(auth.basic.password, f"{where}.basic.password"))}
    assert auth.hmac is not None
    name = auth.hmac.header
    if not _TOKEN.match(name) or name.lower() in OWN_HEADERS | CONNECTION_HEADERS:
        raise BadField(f"{where}.hmac.header", "a signature cannot stand in this header")
    return {"hmac": _secret(auth.hmac.key, f"{where}.hmac.key"), "how": auth.hmac}


def _secret(written: str, where: str) -> Template:
    template = _template(written, where)
    if not _has_secret(template):
        raise BadField(where, "it holds no secret", hint="write ${secret:NAME}: options are kept in plain text")
    return template


def _has_secret(template: Template) -> bool:
    return any(name.secret is not None for name in template.names)


def _check(written: str) -> JsonCheck:
    try:
        return check_from(written)
    except BadCheck as error:
        raise BadField(f"{_WHERE}.expect.json", str(error)) from None


def _seconds(written: str | float | HttpTimes) -> dict[str, float]:
    times = written if isinstance(written, HttpTimes) else HttpTimes(total=written)
    seconds = {}
    for name in ("connect", "read", "total"):
        try:
            micros = parse_duration(getattr(times, name))
        except BadDuration as error:
            raise BadField(f"{_WHERE}.timeout.{name}", error.sentence.rstrip("."), hint=error.hint) from error
        if not 0 < micros <= TOTAL_MAX_US:
            raise BadField(f"{_WHERE}.timeout.{name}", "it is not more than nothing and at most 7 days")
        seconds[name] = micros / SECOND
    return seconds


def _tree(value: Any, where: str) -> Tree:
    if isinstance(value, str):
        return _template(value, where)
    if isinstance(value, Mapping):
        return {key: _tree(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_tree(item, f"{where}[{at}]") for at, item in enumerate(value)]
    return value


def _template(text: str, where: str) -> Template:
    try:
        return parsed(text)
    except BadTemplate as error:
        raise BadField(where, str(error), hint="write $${ for ${ itself") from None


def _names(tree: Tree) -> Iterator[Name]:
    if isinstance(tree, Template):
        yield from tree.names
    elif isinstance(tree, Mapping | list | tuple):
        for item in tree.values() if isinstance(tree, Mapping) else tree:
            yield from _names(item)


# ------------------------------------------------------------------------------------------------------- filling


def _fitting(where: str, fill: Callable[[], Part]) -> Part:
    try:
        return fill()
    except (NotFilled, BadUrl) as error:
        raise HttpUnfit(where, str(error)) from None
    except UnicodeEncodeError:
        raise HttpUnfit(where, "a value holds half a character") from None


def _segment(text: str) -> str:
    """A value in a path. An empty one would make the URL of one thing that of all things."""
    if not text:
        raise NotFilled("a value in the path is empty")
    return percent_encoded(text)


def _header(template: Template, values: RunValues) -> str:
    text = filled(template, values).strip(" \t")
    if len(text) > HEADER_VALUE_MAX:
        raise NotFilled(f"it has more than {HEADER_VALUE_MAX} characters")
    if not _LINE.match(text):
        raise NotFilled("a value holds a line break or another control character")
    return text


def _put(headers: dict[str, str], name: str, value: str) -> None:
    """Set a header; the same name in other letters is the same header."""
    for known in [one for one in headers if one.lower() == name.lower()]:
        del headers[known]
    headers[name] = value


def _body(tree: Tree, values: RunValues) -> tuple[str | None, bytes]:
    """The type of what is sent, and its bytes."""
    if not tree:
        return None, b""
    ((kind, inner),) = tree.items()
    where = f"{_WHERE}.body.{kind}"
    body = _fitting(where, partial(_BODIES[kind], inner, values))
    if len(body) > BODY_MAX:
        raise HttpUnfit(where, f"it has more than {BODY_MAX} bytes")
    return _TYPES[kind], body


def _json_body(tree: Tree, values: RunValues) -> bytes:
    return json.dumps(_json(tree, values), ensure_ascii=False, separators=(",", ":")).encode()


def _json(tree: Tree, values: RunValues) -> Any:
    if isinstance(tree, Template):
        return filled_value(tree, values)
    if isinstance(tree, Mapping):
        return {key: _json(item, values) for key, item in tree.items()}
    return [_json(item, values) for item in tree] if isinstance(tree, list) else tree


def _form_body(tree: Tree, values: RunValues) -> bytes:
    return "&".join(f"{percent_encoded(name)}={value}" for name, value in _pairs(tree, values)).encode()


def _text_body(tree: Tree, values: RunValues) -> bytes:
    return filled(tree, values).encode()


def _pairs(tree: Mapping[str, Tree], values: RunValues) -> Iterator[tuple[str, str]]:
    """Names with encoded values: a list repeats the name, null leaves it out."""
    for name, item in tree.items():
        value = _json(item, values)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping | list):
                raise NotFilled(f"{name} is not text, a number or a truth value")
            if one is not None:
                yield name, percent_encoded(one if isinstance(one, str) else json.dumps(one))


_BODIES: Final[Mapping[str, Callable[[Tree, RunValues], bytes]]] = {
    "json": _json_body,
    "form": _form_body,
    "text": _text_body,
}
_TYPES: Final = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}
