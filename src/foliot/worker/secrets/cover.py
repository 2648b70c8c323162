"""Text without secrets: every value that was handed out, in the forms in which programs write it."""

import base64
import functools
import json
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

import msgspec

from foliot.domain.redaction import HIDDEN

VALUES_MAX: Final = 32  # of one secret that are remembered: runs that hold an old one still write
_PART_MIN: Final = 4  # letters of a value that was cut; fewer tell nothing
_LINE_MIN: Final = 8
_BASE64_MIN: Final = 6
CUT: Final = "…"  # stands where a text was cut


class Cover:
    """Hides values: those of one run, or in the worker's own log all of them.

    The texts of a run are covered by its own values alone. By those of others a run could find out what they are: it
    would write guesses and look which ones become `***`.

    One thread adds values; any thread may hide: it sees the old list or the new one.
    """

    def __init__(self) -> None:
        self._values: dict[str, deque[str]] = {}
        self._forms: tuple[str, ...] = ()  # the longest first: a short form may be a part of a long one

    def add(self, name: str, value: str) -> None:
        """Hide this value of a secret from now on."""
        values = self._values.setdefault(name, deque(maxlen=VALUES_MAX))
        if value in values:
            return
        values.append(value)
        forms = {form for each in self._values.values() for known in each for form in forms_of(known)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def hidden(self, text: str, *, is_cut: bool = False, is_rest: bool = False) -> str:
        """The text; `***` stands for each value.

        `is_cut`: Foliot cut its end off, where a value may only begin. `is_rest`: Foliot cut off what stood before it,
        so a value may only end where the text begins.
        """
        forms = self._forms
        if not forms:
            return text
        if is_cut and is_rest and _is_inside(text, forms):
            return HIDDEN
        for form in forms:
            if form in text:
                text = text.replace(form, HIDDEN)
        if is_rest:
            text = _without_end_of_value(text, forms)
        return _without_cut(text, forms) if is_cut else text

    def is_in(self, text: str) -> bool:
        """Whether the text holds a value."""
        return any(form in text for form in self._forms)

    def hidden_json(self, document: str) -> str:
        """The same for JSON. A document that would be none any more is hidden as a whole: a value may be a number."""
        if not self._forms:
            return document
        covered = self.hidden(document)
        if covered == document:
            return document
        try:
            msgspec.json.decode(covered)
        except msgspec.DecodeError:
            return json.dumps(HIDDEN)
        return covered


NO_COVER: Final = Cover()
"""Of a run that was handed no secret: nothing is ever added to it."""


@functools.lru_cache(maxsize=128)  # many runs are handed the same few values
def forms_of(value: str) -> frozenset[str]:
    """How programs write a value: as it is, and in JSON, in Python, in addresses and in base64."""
    texts = [value]
    lines = value.splitlines()
    if len(lines) > 1:  # a key of many lines is written line by line
        texts += [line for line in lines if len(line) >= _LINE_MIN and not line.startswith("-----")]
    return frozenset(form for text in texts for form in _forms(text) if form)


def _forms(text: str) -> Iterator[str]:
    yield text
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield repr(text)[1:-1]
    for quoted in (quote(text), quote(text, safe=""), quote_plus(text)):
        yield quoted
        yield quoted.replace("%", "%25")
        yield _with_small_hex(quoted)
    yield from _in_base64(text.encode())


def _with_small_hex(quoted: str) -> str:
    """`%2F` as `%2f`."""
    first, *rest = quoted.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _in_base64(data: bytes) -> Iterator[str]:
    """Three groups of bits become four letters, so a value looks in three ways, by where it begins: `user:value`.

    The letters at either end also hold bits of what stands beside the value, and are left out.
    """
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + data).rstrip(b"=").decode()
        first = (0, 2, 3)[before]
        last = len(encoded) if (before + len(data)) % 3 == 0 else len(encoded) - 1
        form = encoded[first:last]
        if len(form) >= _BASE64_MIN:
            yield form
            yield form.replace("+", "-").replace("/", "_")


def _without_cut(text: str, forms: Iterable[str]) -> str:
    """The text without the beginning of a value at its end: errors and logs are cut at a limit."""
    end = len(text) - 1 if text.endswith(CUT) else len(text)
    for form in forms:
        begin, at = form[:_PART_MIN], max(0, end - len(form) + 1)
        while (at := text.find(begin, at, end)) >= 0:
            if form.startswith(text[at:end]):
                return text[:at] + HIDDEN + text[end:]
            at += 1
    return text


def _without_end_of_value(text: str, forms: Iterable[str]) -> str:
    """The text without the end of a value at its beginning."""
    longest = max(_ends_at(text, form) for form in forms)
    return HIDDEN + text[longest:] if longest else text


def _ends_at(text: str, form: str) -> int:
    """Where a value ends that begins before the text; 0: none does."""
    end, at = form[-_PART_MIN:], len(form) - 1
    while (found := text.rfind(end, 0, at)) >= 0:
        at = found + len(end)
        if form.endswith(text[:at]):
            return at
        at -= 1
    return 0


def _is_inside(text: str, forms: Iterable[str]) -> bool:
    """Whether the text is the middle of a value, which is longer than a line may be."""
    return len(text) >= _PART_MIN and any(text in form for form in forms)
