"""A run's log: in order, bounded, its end kept, repeats identical."""

from foliot.worker.lines import LINE_MAX, OutputLine
from foliot.worker.run_log import CHUNK_MAX, TAIL_MAX, RunLog
from foliot.worker.secrets.cover import Cover
from tests.unit.worker.books import PlainBook, a_run, shipped


def text_of(run_log: RunLog) -> str:
    return "".join(chunk.text for chunk in shipped(run_log))


def test_lines_are_shipped_in_the_order_they_were_written() -> None:
    run_log = RunLog(a_run(), PlainBook())
    run_log.write("OUT", b"one\ntw")
    run_log.add(OutputLine("INFO", "between"))
    run_log.write("OUT", b"o\n")
    run_log.end()
    assert text_of(run_log) == "T  OUT  one\nT  INFO  between\nT  OUT  two\n"


def test_an_unfinished_line_is_kept_at_the_end() -> None:
    run_log = RunLog(a_run(), PlainBook())
    run_log.write("OUT", b"no newline")
    assert run_log.is_empty
    run_log.end()
    assert text_of(run_log) == "T  OUT  no newline\n"


def test_chunks_join_without_gaps_by_their_offsets() -> None:
    run_log = RunLog(a_run(), PlainBook())
    for i in range(20_000):
        run_log.add(OutputLine("INFO", f"número {i}"))
    run_log.end()
    chunks = shipped(run_log)
    assert len(chunks) > 1
    assert all(len(chunk.text.encode()) <= CHUNK_MAX for chunk in chunks)
    size = 0
    for chunk in chunks:
        assert chunk.offset == size
        size += len(chunk.text.encode())


def test_a_chunk_whose_answer_was_lost_is_repeated_as_it_was() -> None:
    run_log = RunLog(a_run(), PlainBook())
    run_log.add(OutputLine("INFO", "first"))
    sent = run_log.next_chunk()
    run_log.add(OutputLine("INFO", "second"))
    assert run_log.next_chunk() == sent
    assert [chunk.text for chunk in run_log.all_chunks()] == ["T  INFO  first\n", "T  INFO  second\n"]
    run_log.acknowledge()
    assert text_of(run_log) == "T  INFO  second\n"


def test_a_flood_is_cut_with_a_mark_and_its_end_is_kept() -> None:
    book = PlainBook(log_max=256 * 1024)
    run_log = RunLog(a_run(), book)
    for i in range(100_000):
        run_log.write("OUT", f"line {i}\n".encode())
    run_log.add(OutputLine("ERROR", "the failure"))
    run_log.end()
    text = text_of(run_log)
    assert text.startswith("T  OUT  line 0\nT  OUT  line 1\n")
    assert text.endswith("T  OUT  line 99999\nT  ERROR  the failure\n")
    assert text.count("… truncated: the limit of 262144 bytes of output is reached") == 1
    assert f"… {run_log.cut} bytes are not kept" in text
    assert len(text.encode()) <= book.log_max + 300
    assert book.size == 0


def test_what_fits_exactly_is_not_marked() -> None:
    book = PlainBook(log_max=TAIL_MAX + 1000)
    run_log = RunLog(a_run(), book)
    for i in range(100):
        run_log.write("OUT", f"{i:090}\n".encode())
    run_log.end()
    text = text_of(run_log)
    assert "…" not in text
    assert text.count("\n") == 100
    assert run_log.cut == 0


def test_memory_for_logs_that_is_full_closes_the_head_with_its_reason() -> None:
    book = PlainBook()
    run_log = RunLog(a_run(), book)
    run_log.add(OutputLine("INFO", "early"))
    book.full = True
    for i in range(20_000):
        run_log.add(OutputLine("INFO", f"late {i}"))
    run_log.end()
    text = text_of(run_log)
    assert text.startswith("T  INFO  early\n… truncated: no server takes the logs")
    assert text.endswith("T  INFO  late 19999\n")


def test_dropping_gives_the_memory_back() -> None:
    book = PlainBook()
    run_log = RunLog(a_run(), book)
    run_log.add(OutputLine("INFO", "a"))
    assert run_log.next_chunk() is not None
    run_log.drop()
    run_log.acknowledge()  # an answer that comes after it was dropped
    assert book.size == 0
    assert run_log.is_empty


def log_with_a_secret(book: PlainBook) -> RunLog:
    cover = Cover()
    cover.add("TOKEN", "s3cret-canary")
    return RunLog(
        a_run(), book, lambda line: cover.hidden(line.text, is_cut=line.is_cut, is_rest=line.is_rest)
    )  # fmt: skip


def test_a_line_that_is_cut_within_a_secret_shows_neither_half_of_it_and_no_other_line_changes() -> None:
    run_log = log_with_a_secret(PlainBook())
    run_log.write("OUT", b"a guess: s3cret\n" + b"x" * (LINE_MAX - 6) + b"s3cret-canary, and more\n-canary\n")
    run_log.write("OUT", b"y" * (LINE_MAX - 6) + b"s3cret-")
    run_log.write("OUT", b"canary")
    run_log.end()
    guess, cut, rest, other_guess, cut_again, last = text_of(run_log).splitlines()
    assert guess.endswith("a guess: s3cret")
    assert cut.endswith("xx***")
    assert rest.endswith("OUT  ***, and more")
    assert other_guess.endswith("OUT  -canary")
    assert cut_again.endswith("yy***")
    assert last.endswith("OUT  ***")


def test_output_that_is_not_kept_takes_no_half_of_a_secret_with_it() -> None:
    run_log = log_with_a_secret(PlainBook(log_max=TAIL_MAX + 100))
    run_log.add(OutputLine("INFO", "x" * 100))  # the head is full
    run_log.write("OUT", b"s3cret-")
    run_log.write("OUT", b"-" * (TAIL_MAX - 20))
    run_log.write("ERR", b"s3cret")
    run_log.write("OUT", b"-canary: the end\n" * 2)
    run_log.write("ERR", b"-canary\n")
    run_log.end()
    text = text_of(run_log)
    assert "bytes are not kept" in text
    assert "s3cret" not in text
    assert text.endswith("T  OUT  ***: the end\nT  OUT  -canary: the end\nT  ERR  ***\n")
