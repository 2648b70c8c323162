"""Output of a command: lines for the run's log, reports of progress among them, and the last line of each stream.

A flood must not keep the worker's loop: bytes come in small portions, and a portion is looked at as a whole unless it
holds something that has to be taken apart.
"""

import re
from collections.abc import Callable
from typing import Final, TextIO

PORTION: Final = 16 * 1024  # bytes that are read at once
LINE_MAX: Final = PORTION  # of a line that is kept
SECRET_MAX: Final = 64 * 1024  # what is looked at beyond that: a secret must not be cut before it is hidden

_PROGRESS: Final = re.compile(r"::progress ([0-9]{1,15})(?:/([0-9]{1,15}))?(?: (.*))?")
_MARK: Final = "::progress "

Hide = Callable[[str], str]
TellProgress = Callable[[int, int | None, str], None]


class Allowance:
    """How many bytes of output a run may still put into its log, over both streams."""

    def __init__(self, bytes_max: int) -> None:
        self.left = bytes_max
        self.refused = 0

    def take(self, text: str, hide: Hide) -> str:
        """As much of the text as may be kept. Secrets are hidden before it is cut: half of one would not be found."""
        kept = text if len(text) <= self.left else hide(text)[: self.left]
        self.left -= len(kept)
        self.refused += len(text) - len(kept)
        return kept


class OutputStream:
    """One stream of a command. `feed` takes portions of at most `PORTION` bytes."""

    def __init__(
        self, sink: TextIO | None, allowance: Allowance, *, encoding: str, hide: Hide, progress: TellProgress
    ) -> None:
        """`sink`: the log; None: nothing of this stream is kept."""
        self.last = ""  # the last line that is not empty
        self._sink = sink
        self._allowance = allowance
        self._encoding = encoding
        self._hide = hide
        self._progress = progress
        self._rest = b""  # a line that has no end yet
        self._dropped = 0  # bytes of that line which are not kept

    def feed(self, data: bytes) -> None:
        """Output as it comes."""
        if self._rest:
            head, newline, data = data.partition(b"\n")
            self._add(head)
            if not newline:
                return
            self._end_line()
        lines, newline, rest = data.rpartition(b"\n")
        if newline:
            self._take(self._text(lines))
        self._rest = rest

    def end(self) -> None:
        """No more comes: the last line may have no line feed."""
        if self._rest:
            self._end_line()

    def _add(self, data: bytes) -> None:
        room = LINE_MAX + SECRET_MAX - len(self._rest)
        self._rest += data[:room]
        self._dropped += max(0, len(data) - room)

    def _end_line(self) -> None:
        text = self._text(self._rest)
        if len(self._rest) > LINE_MAX:
            whole = self._hide(text)
            # Where bytes were dropped, a secret may begin near the end that is no longer whole.
            kept = whole[: min(LINE_MAX, len(whole) - SECRET_MAX if self._dropped else LINE_MAX)]
            text = f"{kept}… ({len(self._rest) + self._dropped - LINE_MAX} bytes of this line are not kept)"
        self._rest, self._dropped = b"", 0
        self._take(text)

    def _take(self, text: str) -> None:
        """Whole lines, without the line feed of the last."""
        if _MARK in text:
            text = "\n".join(line for line in text.split("\n") if not self._is_progress(line))
        if not text:
            return
        last = text.rstrip()
        if last:
            self.last = last[last.rfind("\n") + 1 :]
        if self._sink is not None:
            kept = self._allowance.take(text, self._hide)
            if kept:
                self._sink.write(f"{kept}\n")

    def _is_progress(self, line: str) -> bool:
        found = _PROGRESS.fullmatch(line.rstrip("\r"))
        if found is None:
            return False
        done, total, note = found.groups()
        self._progress(int(done), int(total) if total else None, self._hide(note or "")[:NOTE_MAX])
        return True

    def _text(self, data: bytes) -> str:
        return data.decode(self._encoding, "backslashreplace")


NOTE_MAX: Final = 200
