"""The folder of the examples, as the working folder of a test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def in_examples(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Import the examples as they are; the next test finds none of their modules."""
    path = list(sys.path)
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name, module in sys.modules.copy().items():
        if str(getattr(module, "__file__", "")).startswith(str(EXAMPLES)):
            del sys.modules[name]
    sys.path[:] = path
