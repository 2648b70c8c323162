"""What is wrong with a field, a schedule or a handover is said in Chinese too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import foliot
from foliot.domain.errors import BadField, FoliotError
from foliot.domain.schedule.document import schedule_from_document
from foliot.domain.schedule.errors import BadSchedule
from foliot.operations.step_down import CannotLead
from foliot.words.chinese.troubles import TROUBLES
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.patterns import TEXT_MAX, Patterns

SAID = [
    (BadField("timeout", '"x" is not a duration'), '字段 timeout 的值不被允许："x" 不是时长。'),
    (BadField("retries", "7 is not a whole number from 0 to 5"), "字段 retries 的值不被允许：7 不是 0 到 5 的整数。"),
    (BadField("run", "it is missing"), "字段 run 的值不被允许：缺失。"),
    (BadField("the definition", "7 is not a mapping"), "字段 任务定义 的值不被允许：7 不是映射。"),
    (BadSchedule("weekly needs a time.", hint=""), "调度计划有误：weekly 需要时间。"),
    (CannotLead("no other server is there"), "主节点未移交：没有其他服务器。"),
    (CannotLead("anne is a worker"), "主节点未移交：anne 是工作节点。"),
]


@pytest.mark.parametrize(("error", "sentence"), SAID, ids=[str(error) for error, _ in SAID])
def test_the_sentence_is_chinese(error: FoliotError, sentence: str) -> None:
    assert tell(error, Language.CHINESE)[0] == sentence
    assert tell(error)[0] == error.sentence


def test_a_misspelt_key_of_a_schedule_is_named() -> None:
    with pytest.raises(BadSchedule) as refused:
        schedule_from_document({"cronn": "0 2 * * *"})
    assert tell(refused.value, Language.CHINESE)[0] == "调度计划有误：没有“cronn”这一项。"


def test_a_trouble_that_no_pattern_knows_is_said_as_it_is() -> None:
    assert tell(BadField("x", "odd"), Language.CHINESE)[0] == "字段 x 的值不被允许：odd。"
    long = "7" * TEXT_MAX + " is not text"
    assert tell(BadField("x", long), Language.CHINESE)[0].endswith(" is not text。")


def test_every_trouble_that_is_written_in_the_code_has_its_words() -> None:
    found = set(_troubles())
    assert len(found) > 50
    known = Patterns(TROUBLES)
    unknown = {trouble for trouble in found if known.find(trouble) is None}
    assert not unknown


def _troubles() -> Iterator[str]:
    """What is raised as a text, with 7 for each value in it."""
    place = {"BadField": 1, "BadSchedule": 0, "CannotLead": 0}
    for file in Path(foliot.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in place:
                continue
            said = node.args[place[node.func.id]]
            if isinstance(said, ast.Constant):
                yield str(said.value).rstrip(".")
            elif isinstance(said, ast.JoinedStr):
                parts = [str(part.value) if isinstance(part, ast.Constant) else "7" for part in said.values]
                yield "".join(parts).rstrip(".")
