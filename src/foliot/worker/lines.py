"""Output as lines of text: bytes cut into lines, made safe, and stamped with time and origin."""

from datetime import datetime
from typing import Final, NamedTuple

from foliot.domain.redaction import redacted

LINE_MAX: Final = 64 * 1024
OUT: Final = "OUT"  # standard output, and whatever else wrote to the process's own descriptors
ERR: Final = "ERR"  # sys.stderr
LEVELS: Final = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", OUT, ERR})

_RECORD: Final = 0x1E  # a line that begins with it is a record of the child: level, unit separator, text
_UNIT: Final = b"\x1f"
_NEWLINE: Final = "\x1d"  # stands for a line feed inside a record


class OutputLine(NamedTuple):
    """One line of output; `text` may itself contain line feeds."""

    level: str
    text: str
    is_cut: bool = False  # it was too long: what follows is the next line
    is_rest: bool = False  # what stood before it on its line is the line before, or is not kept


def encode_record(level: str, text: str) -> bytes:
    """A record as the child writes it between its plain output, so that the order of both is kept."""
    return f"\x1e{level}\x1f{text}".replace("\n", _NEWLINE).encode("utf-8", "backslashreplace") + b"\n"


def format_line(stamp: str, line: OutputLine) -> str:
    """As it is kept: time in UTC, level, text. A line that begins with no time goes on with the one before it."""
    return f"{stamp}  {line.level}  {redacted(line.text)}\n"


def format_stamp(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def safe_text(text: str) -> str:
    """Text that every store and terminal can take: no NUL, no lone surrogate, no carriage return."""
    if "\x00" in text:
        text = text.replace("\x00", "\\x00")
    if "\r" in text:
        text = text.replace("\r\n", "\n").rstrip("\r").replace("\r", "\n")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class LineCutter:
    """Cuts a stream of bytes into lines; what has no end yet waits, but never more than `LINE_MAX`."""

    __slots__ = ("_is_rest", "_level", "_rest")

    def __init__(self, level: str = OUT) -> None:
        self._level = level
        self._rest = b""
        self._is_rest = False  # what comes next begins in the middle of a line

    def feed(self, data: bytes) -> list[OutputLine]:
        """The lines that are complete now."""
        whole = self._rest + data if self._rest else data
        *ended, self._rest = whole.split(b"\n")
        lines = [self._line(piece, is_cut=is_cut) for line in ended for piece, is_cut in _pieces(line)]
        *pieces, (self._rest, _) = _pieces(self._rest)
        return lines + [self._line(piece, is_cut=True) for piece, _ in pieces]

    def skip(self, data: bytes) -> int:
        """Keep none of these bytes, nor what waits for its end before them: half a secret would not be found.

        Returns how many bytes are not kept.
        """
        size = len(self._rest) + len(data)
        self._rest = b""
        self._is_rest = not data.endswith(b"\n")
        return size

    def end(self) -> list[OutputLine]:
        """The last line, if it did not end with a line feed."""
        rest, self._rest = self._rest, b""
        return [self._line(rest)] if rest else []

    def _line(self, data: bytes, *, is_cut: bool = False) -> OutputLine:
        is_rest, self._is_rest = self._is_rest, is_cut
        if data and data[0] == _RECORD:
            level, unit, text = data[1:].partition(_UNIT)
            name = level.decode("ascii", "replace")
            if unit and name in LEVELS:
                record = text.decode("utf-8", "backslashreplace").replace(_NEWLINE, "\n")
                return OutputLine(name, safe_text(record), is_cut, is_rest)
        return OutputLine(self._level, safe_text(data.decode("utf-8", "backslashreplace")), is_cut, is_rest)


def _pieces(line: bytes) -> list[tuple[bytes, bool]]:
    """The line in pieces that are not too long, each with whether the line goes on behind it."""
    pieces = []
    while len(line) > LINE_MAX:
        at = _boundary(line)
        pieces.append((line[:at], True))
        line = line[at:]
    return [*pieces, (line, False)]


def _boundary(data: bytes) -> int:
    """Where to cut an overlong line: not inside a character."""
    at = LINE_MAX
    while at > LINE_MAX - 3 and data[at] & 0xC0 == 0x80:
        at -= 1
    return at
