"""Errors in the reader's language: by code, from the values an error keeps. English sentences are the errors' own."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from foliot.domain.errors import BadField, FoliotError
from foliot.domain.schedule.errors import shown
from foliot.words.chinese import errors as chinese
from foliot.words.chinese import explanations as chinese_explanations
from foliot.words.chinese.refusals import NEXT_STEPS, REFUSALS
from foliot.words.chinese.troubles import TROUBLES, WORDS
from foliot.words.english import errors as english
from foliot.words.english import explanations as english_explanations
from foliot.words.language import Language
from foliot.words.patterns import Patterns
from foliot.words.templates import Catalogue, Speech

Data: TypeAlias = Mapping[str, Any]

_TITLES: Final = {Language.ENGLISH: english.TITLES, Language.CHINESE: chinese.TITLES}
_BRANCHES: Final = {Language.ENGLISH: english.BRANCHES, Language.CHINESE: chinese.BRANCHES}
_EXPLANATIONS: Final = {
    Language.ENGLISH: english_explanations.EXPLANATIONS,
    Language.CHINESE: chinese_explanations.EXPLANATIONS,
}
_SENTENCES: Final[Mapping[Language, Catalogue]] = {Language.ENGLISH: {}, Language.CHINESE: chinese.SENTENCES}
_HINTS: Final = {Language.ENGLISH: english.HINTS, Language.CHINESE: chinese.HINTS}
_TROUBLES: Final = Patterns({**WORDS, **TROUBLES}, pieces=Patterns({**WORDS, **TROUBLES}))
_REFUSALS: Final = Patterns(REFUSALS, pieces=_TROUBLES)
_NEXT_STEPS: Final = Patterns(NEXT_STEPS)
_SPEECHES: Final = {
    Language.ENGLISH: Speech(Language.ENGLISH),
    Language.CHINESE: Speech(Language.CHINESE, words=WORDS),
}


def tell(error: FoliotError, language: Language = Language.ENGLISH) -> tuple[str, str | None]:
    """What happened and the next step. Without a sentence in the language: its title there, then the English."""
    if "status" in error.data:  # a server's answer is in the reader's language already
        return error.sentence, error.hint
    cause = error.__cause__
    if isinstance(error, BadField) and isinstance(cause, FoliotError):
        return _of_field(error, cause, language)
    sentence = _filled(_SENTENCES[language], error, language) or _found(_REFUSALS, error.sentence, language)
    hint = _filled(_HINTS[language], error, language) or _found(_NEXT_STEPS, error.hint, language)
    return sentence or _by_title(error, language), hint or error.hint


def _found(patterns: Patterns, english: str | None, language: Language) -> str | None:
    """What the catalogue of another language has for a text that an error made itself."""
    if language is Language.ENGLISH or not english:
        return None
    said = patterns.find(english)
    return None if said is None else shown(said)


def in_one_line(error: FoliotError, language: Language = Language.ENGLISH) -> str:
    """What happened, with the next step in parentheses."""
    sentence, hint = tell(error, language)
    return f"{sentence} ({hint})" if hint else sentence


def title_of(code: str, language: Language = Language.ENGLISH) -> str:
    """The short name of a code."""
    return str(_TITLES[language].get(code, ""))


def branch_of(code: str, language: Language = Language.ENGLISH) -> str:
    """What the codes that begin like this one are about."""
    return str(_BRANCHES[language].get(code[4:5], ""))


def explanation_of(code: str, language: Language = Language.ENGLISH) -> tuple[str, str] | None:
    """When a code is met, and what to do then."""
    return _EXPLANATIONS[language].get(code)


def _of_field(error: FoliotError, cause: FoliotError, language: Language) -> tuple[str, str | None]:
    """A field whose value was refused elsewhere: the sentence and the next step are those of that refusal."""
    sentence, hint = tell(cause, language)
    if language is Language.ENGLISH:
        return error.sentence, hint or error.hint
    return f"{shown(str(error.data['path']))}：{sentence}", hint or error.hint


def _filled(catalogue: Catalogue, error: FoliotError, language: Language) -> str | None:
    """What a catalogue says of an error, if it has a template, and the error the values for it."""
    data = {**error.data, "hint": error.hint, "sentence": error.sentence}
    template = catalogue.get(f"{error.code}.{_variant(error.code, data)}") or catalogue.get(error.code)
    if template is None:
        return None
    try:
        derive = _DERIVED.get(error.code)
        values = data if derive is None else {**data, **derive(data)}
        return shown(_SPEECHES[language].fill(template, values)) or None
    except (AttributeError, KeyError, TypeError, ValueError):  # an error of the same code that keeps other values
        return None


def _by_title(error: FoliotError, language: Language) -> str:
    title = title_of(error.code, language)
    if language is Language.ENGLISH or not title:
        return error.sentence
    return f"{title}：{error.sentence}"


# ------------------------------------------------------------------------------------------------------------ variants

_VARIANT_BY: Final = {
    "FOL-1021": "problem",
    "FOL-1032": "problem",
    "FOL-1033": "why",
    "FOL-3003": "claimed_by",
    "FOL-4006": "reason",
    "FOL-5035": "problem",
    "FOL-7001": "state",
}
"""Codes with a template for each of some problems, and which of the error's values says which one it is."""

_DIVISIBLE: Final = ("reports", "held leases")  # a worker can send these in several messages


def _variant(code: str, data: Data) -> str:
    if code == "FOL-5001":
        return "" if "url" in data else "store"
    if code == "FOL-1087":
        return "divisible" if data.get("what") in _DIVISIBLE else ""
    return str(data.get(_VARIANT_BY.get(code, ""), ""))


# ------------------------------------------------------------------------------------------------------- derived values


def _parameters(data: Data) -> Data:
    """The problems of parameters, and which parameters there are; both are lists of small texts."""
    problems = "；".join(f"{error['path']} {_problem(str(error['message']))}" for error in data["errors"])
    known = "，".join(f"{name}（{_kind(kind)}）" for name, kind in data.get("known", ()))
    return {"problems": problems, "parameters": known}


def _options(data: Data) -> Data:
    """The same of a kind's options, which are no parameters."""
    return {"problems": _parameters(data)["problems"].replace("参数", "选项")}


def _problem(said: str) -> str:
    kind = said.removeprefix("is not ")
    if kind != said and kind in WORDS:
        return f"不是{WORDS[kind]}"
    return WORDS.get(said, said)


def _kind(written: str) -> str:
    """What a parameter is; `number` and `a number` are the same."""
    return next((word for phrase, word in WORDS.items() if written in (phrase, phrase.partition(" ")[2])), written)


def _trouble(said: str) -> Data:
    """What is wrong, in Chinese where the catalogue knows the words."""
    plain = said.rstrip(".")
    return {"trouble": _TROUBLES.find(plain) or plain}


def _why(data: Data) -> Data:
    return _trouble(str(data["why"]))


def _field(data: Data) -> Data:
    path = str(data["path"])
    return {"path": WORDS.get(path, path), **_trouble(str(data["trouble"]))}


def _versions(data: Data) -> Data:
    return {"name": str(data["name"])[:100], "found": data["found"] or None, "expected": data["expected"] or None}


def _most(data: Data) -> Data:
    count, _, unit = str(data["most"]).partition(" ")
    return {"count": count, "unit": unit}


_DERIVED: Final[Mapping[str, Callable[[Data], Data]]] = {
    "FOL-1001": lambda data: {"nth": None if data.get("place") is None else data["place"] + 1},
    "FOL-1006": _parameters,
    "FOL-1033": lambda data: {"both": " 和 ".join(data.get("instead", ()))},
    "FOL-1038": lambda data: _trouble(str(data["sentence"])),
    "FOL-1058": _field,
    "FOL-1087": _most,
    "FOL-1114": _options,
    **dict.fromkeys(("FOL-1120", "FOL-1121", "FOL-1133", "FOL-1135", "FOL-1136", "FOL-1160"), _why),
    "FOL-3001": _versions,
    "FOL-3019": _why,
    **dict.fromkeys(("FOL-6030", "FOL-6031", "FOL-6033", "FOL-6036"), _why),
    "FOL-4011": lambda data: {"cluster_wanted": data["wanted"] if data["namespace"] is None else None},
    "FOL-5003": lambda data: {"next_port": data["port"] + 1},
    "FOL-5004": lambda data: {
        "ahead": data["ahead_us"] if data["ahead_us"] > 0 else None,
        "behind": abs(data["ahead_us"]),
    },
    "FOL-5006": lambda data: {"several": data["count"] if data["count"] > 1 else None},
}
