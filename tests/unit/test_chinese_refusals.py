"""Errors in Chinese: every sentence and next step that the code can say has its words, and no word is for nothing."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import foliot
from foliot.domain.egress import Realm
from foliot.domain.errors import BadField, BadName, InvalidInput
from foliot.domain.payload import parse_json
from foliot.words.chinese.errors import HINTS, SENTENCES
from foliot.words.chinese.refusals import NEXT_STEPS, REFUSALS
from foliot.words.chinese.troubles import TROUBLES, WORDS
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.patterns import Patterns, holes
from foliot.worker.handlers.http.errors import HttpAnswerUnfit
from foliot.worker.handlers.http.message import message_of
from tests.code_texts import texts_of, tree_of
from tests.latin import latin_words

SRC = Path(foliot.__path__[0])
FILES = sorted([*SRC.rglob("*.py"), *(SRC.parents[1] / "packages").glob("*/src/**/*.py")])
CATALOGUES = {"refusals": REFUSALS, "next steps": NEXT_STEPS, "troubles": TROUBLES, "words": WORDS}


class Family:
    """The classes of errors in the code: their codes, and which of them make their own sentence."""

    def __init__(self) -> None:
        nodes = (node for file in FILES for node in ast.walk(tree_of(file)))
        self.classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}

    def line(self, name: str) -> list[ast.ClassDef]:
        """A class and those above it, up to the root of the family; nothing for another class."""
        node = self.classes.get(name)
        if node is None:
            return []
        if name == "FoliotError":
            return [node]
        above = [self.line(base.id) for base in node.bases if isinstance(base, ast.Name) and base.id != name]
        return next(([node, *one] for one in above if one), [])

    def code(self, name: str) -> str:
        for node in self.line(name):
            for line in node.body:
                match line:
                    case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str() as code)):
                        return code
        return ""

    def makes_its_sentence(self, name: str) -> bool:
        above = self.line(name)[:-1]  # the root takes the sentence it is given
        return any(
            isinstance(line, ast.FunctionDef) and line.name == "__init__" for node in above for line in node.body
        )


FAMILY = Family()


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Each call that gives an error its sentence: where it stands, and the code of the error."""
    for file in FILES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Call):
                name = str(getattr(node.func, "id", getattr(node.func, "attr", "")))
                if FAMILY.line(name) and not FAMILY.makes_its_sentence(name):
                    yield f"{file.name}:{node.lineno}", FAMILY.code(name), node
    for name, node in FAMILY.classes.items():
        for inner in ast.walk(node) if FAMILY.line(name) else ():
            if isinstance(inner, ast.Call) and getattr(inner.func, "attr", "") == "__init__":
                yield f"{name}:{inner.lineno}", FAMILY.code(name), inner


CALLS = list(calls())
COMPOSED = {"FOL-1009", "FOL-1052"}  # their sentences are put together of pieces


def codes(catalogue: Mapping[str, object]) -> set[str]:
    return {key.partition(".")[0] for key in catalogue}


def test_every_sentence_of_an_error_has_its_chinese() -> None:
    known, told = Patterns({**REFUSALS, **TROUBLES}), codes(SENTENCES)
    assert len(CALLS) > 150
    for where, code, call in CALLS:
        if code in told | COMPOSED or not call.args:
            continue
        for text in texts_of(call.args[0]):
            is_bare = not re.search(r"[a-z]{2,}", text)  # a text that is all values
            assert is_bare or known.find(text) is not None, (
                f"{where}: no Chinese for {text!r}. Give {code} a template in words/chinese/errors.py: SENTENCES, "
                "or the sentence its words in words/chinese/refusals.py: REFUSALS"
            )


def test_every_next_step_of_an_error_has_its_chinese() -> None:
    known, told = Patterns(NEXT_STEPS), codes(HINTS)
    hints = [
        (f"{file.name}:{node.lineno}", FAMILY.code(str(getattr(node.func, "id", ""))), keyword.value)
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and FAMILY.line(str(getattr(node.func, "id", "")))
        for keyword in node.keywords
        if keyword.arg == "hint"
    ]
    hints += [
        (where, code, keyword.value)
        for where, code, call in CALLS
        for keyword in call.keywords
        if keyword.arg == "hint"
    ]
    assert len(hints) > 150
    for where, code, hint in hints:
        if code in told:
            continue
        for text in texts_of(hint):
            assert known.find(text) is not None, (
                f"{where}: no Chinese for {text!r}. Give {code} a template in words/chinese/errors.py: HINTS, "
                "or the text its words in words/chinese/refusals.py: NEXT_STEPS"
            )


REASONS = {
    **dict.fromkeys(("BadUrl", "BadTemplate", "BadCheck", "NotFilled"), 0),
    **dict.fromkeys(("HttpNotReached", "HttpNoAnswer", "HttpConnectTimeout", "HttpReadTimeout"), 1),
    **dict.fromkeys(("HttpAnswerUnfit", "HttpUnfit", "AddressRefused"), 1),
}
"""What says why something was refused, and which argument has the words."""


def test_every_reason_of_a_job_that_calls_a_url_has_its_chinese() -> None:
    known = Patterns({**WORDS, **TROUBLES})
    calls_of_reasons = [
        (f"{file.name}:{node.lineno}", node.args[REASONS[node.func.id]])
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REASONS
    ]
    reasons = [(where, text) for where, words in calls_of_reasons for text in texts_of(words)]
    reasons += [("Realm", realm.value) for realm in Realm]
    assert len(reasons) > 60
    for where, text in reasons:
        assert known.find(text) is not None, f"{where}: no Chinese for {text!r} in words/chinese/troubles.py: TROUBLES"


def test_a_reason_within_a_sentence_is_said_in_chinese_too() -> None:
    with pytest.raises(BadField) as refused:
        message_of({"url": "https://example.org:70000/"})
    sentence, hint = tell(refused.value, Language.CHINESE)
    assert sentence == "字段 run.http.url 的值不被允许：端口不在 1 到 65535 之间。"
    assert latin_words(sentence) == latin_words("run.http.url")
    assert hint is not None
    far = HttpAnswerUnfit("GET /a", "it redirects to http://10.0.0.1, and it is a private address")
    assert tell(far, Language.CHINESE)[0].endswith("它重定向到 http://10.0.0.1，而是私有地址。")


def texts_in_code() -> str:
    """Every text of the code, one after the other, without the Chinese catalogue."""
    found = []
    for file in FILES:
        if SRC / "words" / "chinese" not in file.parents:
            constants = (node.value for node in ast.walk(tree_of(file)) if isinstance(node, ast.Constant))
            found += [text for text in constants if isinstance(text, str)]
    return "\n".join(found)


@pytest.mark.parametrize("name", ["refusals", "next steps", "troubles"])
def test_every_entry_is_said_somewhere(name: str) -> None:
    code = texts_in_code()
    for key in CATALOGUES[name]:
        pieces = [piece.strip() for piece in re.split(r"\{\w+\}| at \{|[^\w ,'-]+", key)]
        assert max(pieces, key=len) in code, f"nobody says {key!r}"


@pytest.mark.parametrize("name", CATALOGUES)
def test_an_entry_has_the_same_values_and_no_latin_word(name: str) -> None:
    for english, chinese in CATALOGUES[name].items():
        assert holes(chinese) <= holes(english), english
        assert holes(english) - holes(chinese) <= {"what"}, english
        plain = re.sub(r"\{\w+\}", "7", chinese)
        if plain != re.sub(r"\{\w+\}", "7", english):  # a command alone is the same in both
            assert latin_words(plain) == set(), chinese


def test_a_quoted_piece_is_said_in_chinese_too() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_json('{"a": 1, "a": 2}', what="The body")
    assert tell(refused.value, Language.CHINESE) == ("请求体不是 JSON：键“a”出现两次。", "只保留一个")
    said = tell(BadName("job", "a b", '" " is not allowed in it'), Language.CHINESE)
    assert said == ('“a b”不能作为任务的名称：不能含有 " "。', "可用任何语言的文字、数字以及 _ - .")


def test_what_a_user_wrote_is_never_translated() -> None:
    known = Patterns({'"{written}" is not a {kind}.': "“{written}”不是{kind}。"}, pieces=Patterns({"job": "任务"}))
    assert known.find('"job" is not a job.') == "“job”不是任务。"
    assert known.find("Something else.") is None
