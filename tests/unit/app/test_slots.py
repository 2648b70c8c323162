"""Slots as people write them: for all kinds of handlers together, and for single kinds."""

from collections.abc import Sequence

import pytest

from foliot.app.handler_kinds import HandlerSettings
from foliot.app.plugins import UnknownPart
from foliot.app.slots import Slots, SlotsOfNothing, SlotsOutOfRange, SlotsTwice, UnreadableSlots, kinds_and_slots
from foliot.domain.errors import InvalidInput
from foliot.words.errors import tell
from foliot.words.language import Language

HTTP: HandlerSettings = {"http": {}}


@pytest.mark.parametrize(
    ("written", "shared", "own"),
    [
        ([], 8, {}),
        (["4"], 4, {}),
        (["http=2000"], 8, {"http": 2000}),
        (["2", "http=50"], 2, {"http": 50}),
        (["2,http=50"], 2, {"http": 50}),
        (["http=50 , python=1", "3"], 3, {"http": 50, "python": 1}),
        (["10000"], 10_000, {}),
    ],
)
def test_slots_are_read_as_they_are_written(written: Sequence[str], shared: int, own: dict[str, int]) -> None:
    assert Slots.read(written) == Slots(shared=shared, own=own)


@pytest.mark.parametrize(
    ("written", "error", "sentence", "chinese"),
    [
        ("many", UnreadableSlots, '"many" is not a number of slots.', "“many”不是槽位数。"),
        ("http=", UnreadableSlots, '"http=" is not a number of slots.', "“http=”不是槽位数。"),
        ("=5", UnreadableSlots, '"=5" is not a number of slots.', "“=5”不是槽位数。"),
        ("http=--5", UnreadableSlots, '"http=--5" is not a number of slots.', "“http=--5”不是槽位数。"),
        ("http=0", SlotsOutOfRange, "http=0: a worker has at least 1 slot", "http=0：每种处理器类型至少 1 个槽位"),
        ("-1", SlotsOutOfRange, "-1: a worker has at least 1 slot", "-1：每种处理器类型至少 1 个槽位"),
        ("http=10001", SlotsOutOfRange, "at most 10000 of a kind", "最多 10000 个"),
        ("9" * 5000, SlotsOutOfRange, "at most 10000 of a kind", "最多 10000 个"),
        ("4,5", SlotsTwice, '"4" and "5" are slots for the same runs.', "“4”和“5”是同一类执行的槽位。"),
        ("http=4,http=5", SlotsTwice, '"http=4" and "http=5" are', "“http=4”和“http=5”是"),
    ],
)
def test_what_is_no_number_of_slots_is_refused(
    written: str, error: type[InvalidInput], sentence: str, chinese: str
) -> None:
    with pytest.raises(error) as refused:
        Slots.read([written])
    assert sentence in refused.value.sentence
    assert refused.value.hint
    assert chinese in str(tell(refused.value, Language.CHINESE)[0])


def test_a_kind_has_slots_of_its_own_by_its_table_or_by_the_option_which_wins() -> None:
    here, slots = kinds_and_slots({"http": {"slots": 30, "allow": ["loopback"]}}, Slots(shared=2), ())
    assert [kind.kind for kind in here.kinds] == ["http"]
    assert slots == Slots(shared=2, own={"http": 30})
    _, slots = kinds_and_slots({"http": {"slots": "30"}}, Slots(own={"http": 40}), ())
    assert slots == Slots(own={"http": 40})


@pytest.mark.parametrize("value", [True, 2.5, None, [3], "3.5"])
def test_a_table_needs_a_number_too(value: object) -> None:
    with pytest.raises(UnreadableSlots) as refused:
        kinds_and_slots({"http": {"slots": value}}, Slots(), ())
    assert "handlers.http.slots = " in refused.value.sentence


@pytest.mark.parametrize(
    ("own", "handlers", "modules", "hint"),
    [
        ("sql", HTTP, ("jobs",), "add --enable sql, or leave its slots out"),
        ("python", HTTP, (), "name a module with jobs, such as billing.jobs, or leave its slots out"),
    ],
)
def test_slots_of_a_kind_that_the_worker_does_not_execute_are_refused(
    own: str, handlers: HandlerSettings, modules: Sequence[str], hint: str
) -> None:
    with pytest.raises(SlotsOfNothing) as refused:
        kinds_and_slots(handlers, Slots(own={own: 5}), modules)
    assert refused.value.hint == hint
    sentence, next_step = tell(refused.value, Language.CHINESE)
    assert sentence == f"给“{own}”指定了槽位，但此工作节点不执行该处理器类型。"
    assert "billing.jobs" in str(next_step) if own == "python" else "--enable sql" in str(next_step)


def test_slots_of_a_kind_that_nobody_knows_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownPart) as refused:
        kinds_and_slots(HTTP, Slots(own={"htp": 5}), ("jobs",))
    assert "http, python, shell, sql" in str(refused.value.hint)


def test_python_is_a_kind_too() -> None:
    _, slots = kinds_and_slots(HTTP, Slots(own={"python": 1}), ("jobs",))
    assert slots.own == {"python": 1}
