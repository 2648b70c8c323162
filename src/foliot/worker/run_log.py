"""What one attempt wrote: kept in order up to a limit, then only its end, and never cut in silence."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeAlias

from foliot.ports.worker_link import LeasedRun, LogChunk
from foliot.worker.lines import LineCutter, OutputLine, format_line

CHUNK_MAX: Final = 128 * 1024
TAIL_MAX: Final = 64 * 1024


Hide: TypeAlias = Callable[[OutputLine], str]
"""The text of a line without secrets."""


def hide_nothing(line: OutputLine) -> str:
    """Of a log that nobody gave secrets."""
    return line.text


class Book(Protocol):
    """Where attempts' logs are kept together: time, limits, and who ships them."""

    log_max: int

    def stamp(self) -> str: ...
    def is_full(self) -> bool: ...
    def grew(self, run_log: "RunLog", size: int) -> None: ...
    def shrank(self, size: int) -> None: ...


class _HeldBack(NamedTuple):
    stamp: str
    level: str
    data: bytes  # as it came; a flood is cut into lines only where it is kept
    line: OutputLine | None = None  # the line that it is, if it is not plain output


class RunLog:
    """The log of one attempt. Lines come from any thread; the shipper takes them from the loop.

    The first `log_max - TAIL_MAX` bytes are shipped as they come. After that the newest `TAIL_MAX` bytes are held back
    and shipped when the attempt ends: the last lines before a failure matter more than the millionth of a flood.
    """

    __slots__ = (
        "_book",
        "_closed",
        "_cutters",
        "_flight",
        "_head",
        "_hide",
        "_lock",
        "_pending",
        "_run",
        "_shipped",
        "_tail",
        "_tail_size",
        "cut",
    )

    def __init__(self, run: LeasedRun, book: Book, hide: Hide = hide_nothing) -> None:
        self._run = run
        self._hide = hide
        self._book = book
        self._lock = threading.Lock()
        self._cutters: dict[str, LineCutter] = {}
        self._pending: deque[tuple[str, int]] = deque()  # text and its size, not yet acknowledged
        self._flight: tuple[LogChunk, int] | None = None  # handed out, and of how many of them it is made
        self._shipped = 0  # bytes acknowledged: where the next chunk begins
        self._head = 0  # bytes ever put in line
        self._closed = ""  # why the head takes no more
        self._tail: deque[_HeldBack] = deque()
        self._tail_size = 0
        self.cut = 0  # bytes not kept

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits to be shipped."""
        return not self._pending

    def write(self, level: str, data: bytes) -> None:
        """Output as it comes, cut into lines here."""
        with self._lock:
            stamp = self._book.stamp()
            if self._closed:
                self._hold_back(_HeldBack(stamp, level, data))
            else:
                for line in self._cutter(level).feed(data):
                    self._keep(stamp, line)

    def add(self, line: OutputLine) -> None:
        """One whole line."""
        with self._lock:
            self._keep(self._book.stamp(), line)

    def end(self) -> None:
        """The attempt is over: unfinished lines and the held-back end get in line."""
        with self._lock:
            texts = self._tail_texts()
            if self.cut:
                self._put_in_line(f"… {self.cut} bytes are not kept; what follows is the end\n")
            for text in texts:
                self._put_in_line(text)

    def next_chunk(self) -> LogChunk | None:
        """The oldest text not acknowledged. The same chunk again until `acknowledge`, so that a repeat is one."""
        with self._lock:
            if self._flight is None and self._pending:
                self._flight = self._chunk(0, self._shipped)
            return None if self._flight is None else self._flight[0]

    def acknowledge(self) -> None:
        """What `next_chunk` gave arrived."""
        with self._lock:
            if self._flight is None:
                return  # dropped meanwhile
            size = sum(self._pending.popleft()[1] for _ in range(self._flight[1]))
            self._shipped += size
            self._flight = None
        self._book.shrank(size)

    def all_chunks(self) -> list[LogChunk]:
        """Everything not acknowledged, in order."""
        with self._lock:
            chunks: list[LogChunk] = []
            start, offset = 0, self._shipped
            while start < len(self._pending):
                chunk, lines = self._flight if start == 0 and self._flight else self._chunk(start, offset)
                chunks.append(chunk)
                offset += sum(size for _, size in islice(self._pending, start, start + lines))
                start += lines
            return chunks

    def drop(self) -> None:
        """Nobody wants it any more: it is on disk, or the lease is another's."""
        with self._lock:
            size = sum(size for _, size in self._pending)
            self._pending.clear()
            self._flight = None
            self._tail.clear()
            self._tail_size = 0
        self._book.shrank(size)

    def _chunk(self, start: int, offset: int) -> tuple[LogChunk, int]:
        texts: list[str] = []
        size = 0
        for text, text_size in islice(self._pending, start, None):
            if texts and size + text_size > CHUNK_MAX:
                break
            texts.append(text)
            size += text_size
        run = self._run
        chunk = LogChunk(
            run_id=run.run_id, lease_id=run.lease_id, attempt=run.attempt, offset=offset, text="".join(texts)
        )
        return chunk, len(texts)

    def _cutter(self, level: str) -> LineCutter:
        cutter = self._cutters.get(level)
        if cutter is None:
            cutter = self._cutters[level] = LineCutter(level)
        return cutter

    def _keep(self, stamp: str, line: OutputLine) -> None:
        text = self._formatted(stamp, line)
        size = _size(text)
        self._closed = self._closed or self._full(size)
        if self._closed:
            self._hold_back(_HeldBack(stamp, line.level, line.text.encode(), line))
        else:
            self._put_in_line(text, size)

    def _formatted(self, stamp: str, line: OutputLine) -> str:
        """The line as it is kept and sent: without secrets."""
        return format_line(stamp, OutputLine(line.level, self._hide(line)))

    def _full(self, size: int) -> str:
        if self._head + size > self._book.log_max - TAIL_MAX:
            return f"the limit of {self._book.log_max} bytes of output is reached"
        return "no server takes the logs and the memory for them is full" if self._book.is_full() else ""

    def _hold_back(self, held: _HeldBack) -> None:
        self._tail.append(held)
        self._tail_size += len(held.data)
        while self._tail_size > TAIL_MAX and len(self._tail) > 1:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        gone = self._tail.popleft()
        self._tail_size -= len(gone.data)
        is_output = gone.line is None
        self._cut(self._cutter(gone.level).skip(gone.data) if is_output else len(gone.data))

    def _cut(self, size: int) -> None:
        if not self.cut:
            self._put_in_line(f"… truncated: {self._closed}; from here on only the end is kept\n")
        self.cut += size

    def _tail_texts(self) -> list[str]:
        texts: list[str] = []
        stamp = self._tail[-1].stamp if self._tail else self._book.stamp()
        for held in self._tail:
            texts += [self._formatted(held.stamp, line) for line in self._lines_of(held)]
        for cutter in self._cutters.values():
            texts += [self._formatted(stamp, line) for line in cutter.end()]
        self._cutters.clear()
        self._tail.clear()
        self._tail_size = 0
        return self._last(texts) if self._closed else texts

    def _lines_of(self, held: _HeldBack) -> Iterable[OutputLine]:
        if held.line is not None:
            return [held.line]
        return self._cutter(held.level).feed(held.data)

    def _last(self, texts: list[str]) -> list[str]:
        """As many of the last lines as fit: stamped lines are longer than the output they were."""
        kept: list[str] = []
        size = 0
        for text in reversed(texts):
            size += _size(text)
            if kept and size > TAIL_MAX:
                break
            kept.append(text)
        for text in texts[: len(texts) - len(kept)]:
            self._cut(_size(text))
        return kept[::-1]

    def _put_in_line(self, text: str, size: int | None = None) -> None:
        size = _size(text) if size is None else size
        self._pending.append((text, size))
        self._head += size
        self._book.grew(self, size)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
