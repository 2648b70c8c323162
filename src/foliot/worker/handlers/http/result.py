"""What a run that called a URL returns: the answer, cut to what a result may hold, without secrets."""

import json
from typing import Any, Final

from foliot.domain.errors import FoliotError
from foliot.domain.payload import RESULT_BYTES_MAX, canonical_json, parse_json
from foliot.worker.handlers.http.answer import HttpAnswer
from foliot.worker.handlers.http.disguises import Hide
from foliot.worker.handlers.http.options import HttpOptions

HEADER_MAX: Final = 500  # characters of one that is kept
ROOM: Final = 1024  # bytes of the result besides headers and body
_NEVER: Final = frozenset({"set-cookie", "www-authenticate", "proxy-authenticate", "authorization"})


def result_of(answer: HttpAnswer, options: HttpOptions, hidden: Hide) -> dict[str, Any]:
    """Status, some headers, and the body: its value when it is JSON, else text. `hidden`: hides secrets in a text."""
    is_whole = answer.is_whole and len(answer.body) <= options.capture
    headers = _headers(answer, options, hidden)
    result: dict[str, Any] = {"status": answer.status, "headers": headers, "body": None, "truncated": not is_whole}
    if not answer.body or not options.capture:
        return result
    room = RESULT_BYTES_MAX - ROOM - len(canonical_json(headers).encode())
    if is_whole and "json" in answer.headers.get("content-type", ""):
        value = _value(answer.body, hidden)
        if value is not None and len(canonical_json(value).encode()) <= room:
            return result | {"body": value}
    text = cut(text_of(answer, hidden), options.capture)
    while len(canonical_json(text).encode()) > room:  # a character may need six bytes
        text = text[: len(text) * 3 // 4]
        result["truncated"] = True
    return result | {"body": text}


def text_of(answer: HttpAnswer, hidden: Hide) -> str:
    """The body as text. Secrets are hidden before anything is cut off: half of one would not be found."""
    text = _text(answer.body, answer)
    if answer.is_whole:
        return hidden(text)
    return hidden(text.rstrip("\N{REPLACEMENT CHARACTER}"), is_cut=True)  # its last character may be half of one


def cut(text: str, bytes_max: int) -> str:
    """The beginning of a text."""
    return text.encode()[:bytes_max].decode(errors="ignore")


def json_of(body: bytes) -> Any:
    """The value of a JSON answer; `ValueError` when it is none."""
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _headers(answer: HttpAnswer, options: HttpOptions, hidden: Hide) -> dict[str, str]:
    names = [name.lower() for name in options.capture_headers]
    found = {name: answer.headers[name] for name in names if name in answer.headers and name not in _NEVER}
    return {name: _storable(hidden(value))[:HEADER_MAX] for name, value in found.items()}


def _value(body: bytes, hidden: Hide) -> Any:
    """The value of a JSON body; None when it is null, no JSON, or none that every store keeps."""
    try:
        return _without_secrets(parse_json(body, bytes_max=RESULT_BYTES_MAX), hidden)
    except FoliotError:
        return None


def _without_secrets(value: Any, hidden: Hide) -> Any:
    if isinstance(value, str):
        return _storable(hidden(value))
    if isinstance(value, dict):
        return {_storable(hidden(key)): _without_secrets(item, hidden) for key, item in value.items()}
    return [_without_secrets(item, hidden) for item in value] if isinstance(value, list) else value


def _text(body: bytes, answer: HttpAnswer) -> str:
    charset = answer.headers.get("content-type", "").partition("charset=")[2].split(";")[0].strip("\"' ")
    try:
        text = body.decode(charset or "utf-8", errors="replace")
    except (LookupError, ValueError):
        text = body.decode("utf-8", errors="replace")
    return _storable(text)


def _storable(text: str) -> str:
    """No store keeps NUL or half a character."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
