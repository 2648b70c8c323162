"""The reference pages that the code can tell are what the code tells."""

import pytest

from tests.docs.generate import PAGES, REFERENCE


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_current(name: str) -> None:
    assert (REFERENCE / name).read_text("utf-8") == PAGES[name](), "run python -m tests.docs.generate"
