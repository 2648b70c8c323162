"""Each kind of event that is noted in the journal has its words in the console, in both languages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTED = (
    re.compile(r'\bkind="([a-z_]+\.[a-z_]+)"'),
    re.compile(r'\bkind = "([a-z_]+\.[a-z_]+)" if .* else "([a-z_]+\.[a-z_]+)"'),
    re.compile(r'\b(?:_?note|tell|_?noted|_?told)\(\s*(?:[a-z_.]+, )*"([a-z_]+\.[a-z_]+)"'),
)
"""How an event is noted: as a field of it, or by a helper that takes its kind."""


def noted() -> set[str]:
    files = (ROOT / "src" / "foliot").rglob("*.py")
    text = "\n".join(file.read_text("utf-8") for file in files if {"store", "operations"} & set(file.parts))
    found = [kind for pattern in NOTED for kind in pattern.findall(text)]
    return {kind for one in found for kind in ([one] if isinstance(one, str) else one)}


def said(language: str) -> set[str]:
    files = (ROOT / "web" / "src" / "words").glob(f"{language}*.ts")
    return {word for file in files for word in re.findall(r'"event\.([a-z_.]+)":', file.read_text("utf-8"))}


def test_the_console_has_a_word_for_each_kind_of_event() -> None:
    kinds = noted()
    assert {"failover.ended", "node.promoted", "maintenance.on", "token.created"} <= kinds, (
        "they are found in the sources"
    )
    assert kinds - said("en") == set()
    assert said("en") == said("zh")
