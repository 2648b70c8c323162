"""The pages about jobs that call a URL name every option, every setting and every error."""

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from foliot.domain.template import FACTS
from foliot.worker.handlers.http import errors, options, settings
from foliot.worker.handlers.http.kind import own_headers
from tests.unit.worker.http_calls import a_run

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "http-jobs.md").read_text("utf-8")
HOW_TO = (DOCS / "how-to" / "call-a-url.md").read_text("utf-8")


@pytest.mark.parametrize("module", [options, settings], ids=["options", "settings"])
def test_the_reference_names_each_option_and_each_setting(module: ModuleType) -> None:
    structs = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    names = {field.name for struct in structs for field in msgspec.structs.fields(struct)}
    assert len(names) > 10
    assert {name for name in names if f"`{name}`" not in REFERENCE} == set()


def test_the_how_to_names_each_error_each_header_and_each_place() -> None:
    names = {name for name in vars(errors) if re.match(r"Http(?!Failed|Unfit)", name)}
    assert len(names) > 8
    assert {name for name in names if f"`{name}`" not in HOW_TO} == set()
    assert {name for name in own_headers(a_run({})) if f"`{name}`" not in HOW_TO} == set()
    assert {fact for fact in FACTS if f"`${{{fact}}}`" not in HOW_TO} == set()
