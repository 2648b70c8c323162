"""Loading users' code: jobs and handlers found, mistakes told, changes taken up, the last good version kept."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from foliot.domain.handler import python_function
from foliot.sdk.ctx import Ctx, CtxFacts
from foliot.sdk.invocation import invoke
from foliot.sdk.registry import Loaded, load
from tests.unit.sdk.ports import Listening


class Folder:
    """A user's project folder, and the working folder of the test."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("from foliot import Ctx, cron, every, job\n" + dedent(text))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    path = list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield Folder(tmp_path)
    for name, module in sys.modules.copy().items():
        places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
        if any(str(place).startswith(str(tmp_path)) for place in places):
            del sys.modules[name]
    sys.path[:] = path


def names(loaded: Loaded) -> list[str]:
    return [declaration.name for declaration in loaded.declarations]


def result(loaded: Loaded, handler: str) -> str | None:
    here = Ctx(CtxFacts(run_id=1, job="job", due_at=0), Listening())
    return invoke(loaded.handlers[handler], None, here).result


TWO_JOBS = """\
    @job(every("10s"))
    def tick(ctx: Ctx) -> int:
        return 5

    @job
    def greet(name: str = "world") -> str:
        return f"hello {name}"
"""


def test_a_file_gives_its_jobs_handlers_and_places(folder: Folder) -> None:
    folder.write("jobs.py", TWO_JOBS)
    loaded = load(["jobs.py"])
    assert loaded.problems == ()
    assert names(loaded) == ["tick", "greet"]
    tick = loaded.declarations[0]
    assert (tick.namespace, str(tick.place), tick.definition.handler.offer) == (
        "default",
        "jobs.py:2",
        "python:jobs:tick",
    )
    assert set(loaded.handlers) == {"python:jobs:tick", "python:jobs:greet"}
    assert result(loaded, "python:jobs:greet") == '"hello world"'
    assert loaded.files == {folder.path / "jobs.py"}


def test_an_offer_tells_the_schema_and_the_hash_of_the_code(folder: Folder) -> None:
    folder.write("jobs.py", TWO_JOBS)
    offer = load(["jobs.py"]).handlers["python:jobs:greet"].offer()
    assert offer.parameters is not None
    assert list(offer.parameters["properties"]) == ["name"]
    assert len(offer.code_hash) == 12
    folder.write("jobs.py", TWO_JOBS + "\n# changed")
    assert load(["jobs.py"]).handlers["python:jobs:greet"].code_hash != offer.code_hash


def test_modules_packages_and_files_in_folders_have_stable_names(folder: Folder) -> None:
    folder.write("billing/__init__.py", "")
    folder.write("billing/jobs.py", "from billing.prices import PRICE\n@job\ndef settle() -> int:\n    return PRICE")
    folder.write("billing/prices.py", "PRICE = 7")
    folder.write("loose/more.py", "import neighbour\n@job\ndef more() -> int:\n    return neighbour.N")
    folder.write("loose/neighbour.py", "N = 8")
    folder.write("odd-name.py", "@job\ndef odd() -> int:\n    return 9")
    loaded = load(["billing.jobs", "loose/more.py", "odd-name.py"])
    assert loaded.problems == ()
    assert list(loaded.handlers) == ["python:billing.jobs:settle", "python:loose.more:more", "python:odd_name:odd"]
    assert [result(loaded, handler) for handler in loaded.handlers] == ["7", "8", "9"]
    assert folder.path / "billing" / "prices.py" in loaded.files
    assert names(load(["billing/jobs.py"])) == ["settle"]


def test_a_file_named_like_one_of_pythons_own_modules_harms_nobody(folder: Folder) -> None:
    folder.write("email.py", "@job\ndef send() -> None: ...")
    loaded = load(["email.py"])
    assert (names(loaded), loaded.problems) == (["send"], ())
    assert hasattr(importlib.import_module("email"), "message_from_string")


def test_two_files_of_one_name_are_kept_apart(folder: Folder) -> None:
    outside = folder.path / "work"
    outside.mkdir()
    for place in ("a", "b"):
        folder.write(f"{place}/jobs.py", f"@job\ndef {place}_job() -> str:\n    return '{place}'")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(outside)
        loaded = load([folder.path / "a" / "jobs.py", folder.path / "b" / "jobs.py"])
    assert names(loaded) == ["a_job", "b_job"]
    assert [result(loaded, handler) for handler in loaded.handlers] == ['"a"', '"b"']


def test_jobs_come_from_what_a_file_imports_too(folder: Folder) -> None:
    folder.write("parts.py", "@job\ndef part() -> None: ...")
    folder.write("jobs.py", "import parts\n@job\ndef own() -> None: ...")
    assert sorted(names(load(["jobs.py"]))) == ["own", "part"]
    assert names(load(["parts.py"])) == ["part"], "imported before: still visible"


def test_a_file_that_is_not_there_is_waited_for(folder: Folder) -> None:
    loaded = load(["jobs.py"])
    assert (names(loaded), loaded.problems, loaded.missing, loaded.is_stale) == ([], (), ("jobs.py",), True)
    folder.write("jobs.py", TWO_JOBS)
    assert names(load(["jobs.py"], previous=loaded)) == ["tick", "greet"]


# -- what does not load


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        ("import requestz", 'jobs.py:2 cannot be loaded: no module "requestz".', "pip install requestz"),
        ("def broken(:\n    pass", "jobs.py:2 cannot be loaded: invalid syntax.", None),
        ("x = 1\nundefined", "jobs.py:3 cannot be loaded: NameError: name 'undefined' is not defined.", None),
        (
            "import sys\nsys.exit(1)",
            "jobs.py:3 cannot be loaded: it calls sys.exit() while being imported.",
            "put what is",
        ),
        ("raise ValueError()", "jobs.py:2 cannot be loaded: ValueError.", None),
        (
            "@job(overlap='que')\ndef a() -> None: ...",
            'jobs.py:2 cannot be loaded: overlap: "que" is not one of skip, queue, queue_all, replace, allow.',
            "did you mean queue?",
        ),
        (
            "import threading\n@job\ndef a(lock: threading.Thread) -> None: ...",
            "jobs.py:3 cannot be loaded: a: parameter lock (Thread) cannot be filled from JSON.",
            "use builtins",
        ),
        ("@job\ndef a(x: 'Nowhere') -> None: ...", "jobs.py:2 cannot be loaded: NameError: name 'Nowhere' is", None),
    ],
)
def test_a_file_that_does_not_load_is_told_with_place_cause_and_next_step(
    folder: Folder, text: str, sentence: str, hint: str | None
) -> None:
    folder.write("jobs.py", text)
    loaded = load(["jobs.py"])
    (problem,) = loaded.problems
    assert problem.code == "FOL-1009"
    assert problem.sentence.startswith(sentence)
    assert (problem.hint or "").startswith(hint or "")
    assert names(loaded) == []
    assert "jobs" not in sys.modules


def test_one_broken_file_does_not_stop_the_others(folder: Folder) -> None:
    folder.write("good.py", TWO_JOBS)
    folder.write("bad.py", "import requestz")
    loaded = load(["bad.py", "good.py", "no.such.module"])
    assert names(loaded) == ["tick", "greet"]
    assert [problem.sentence for problem in loaded.problems] == [
        'bad.py:2 cannot be loaded: no module "requestz".',
        'no.such.module cannot be loaded: no module "no".',
    ]


def test_a_bad_helper_is_the_place_to_look_at(folder: Folder) -> None:
    folder.write("jobs.py", "import helper")
    folder.write("helper.py", "1 / 0")
    (problem,) = load(["jobs.py"]).problems
    assert problem.sentence == "helper.py:2 cannot be loaded: ZeroDivisionError: division by zero."


def test_an_interrupt_while_loading_is_not_taken_for_a_mistake(folder: Folder) -> None:
    folder.write("jobs.py", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load(["jobs.py"])


# -- one name, two functions


def test_two_functions_that_claim_one_name_are_both_named_and_neither_counts(folder: Folder) -> None:
    folder.write("a/jobs.py", "\n@job\ndef tick() -> None: ...\n@job\ndef a_only() -> None: ...")
    folder.write("b/jobs.py", "\n@job\ndef tick() -> None: ...")
    loaded = load(["a/jobs.py", "b/jobs.py"])
    assert names(loaded) == ["a_only"]
    (problem,) = loaded.problems
    assert problem.code == "FOL-3003"
    assert problem.sentence == 'Two functions claim "tick": a/jobs.py:3 and b/jobs.py:3. Neither was changed.'
    assert problem.hint == 'give one name="..."'


def test_two_functions_of_one_file_may_claim_one_name_too(folder: Folder) -> None:
    folder.write("jobs.py", "@job\ndef tick() -> None: ...\n\n@job\ndef tick() -> None: ...")
    (problem,) = load(["jobs.py"]).problems
    assert problem.sentence.startswith('Two functions claim "tick": jobs.py:2 and jobs.py:5.')


def test_the_same_name_in_another_namespace_is_another_job(folder: Folder) -> None:
    folder.write(
        "jobs.py", "@job\ndef tick() -> None: ...\n@job(name='tick', namespace='test')\ndef tock() -> None: ..."
    )
    loaded = load(["jobs.py"])
    assert (names(loaded), loaded.problems) == (["tick", "tick"], ())


def test_a_new_rival_leaves_the_job_that_was_there(folder: Folder) -> None:
    folder.write("a.py", "@job\ndef tick() -> str:\n    return 'a'")
    folder.write("b.py", "@job\ndef tock() -> str:\n    return 'b'")
    before = load(["a.py", "b.py"])
    folder.write("b.py", "@job\ndef tick() -> str:\n    return 'b'")
    after = load(["a.py", "b.py"], previous=before)
    assert len(after.problems) == 1
    assert [(declaration.name, str(declaration.place)) for declaration in after.declarations] == [("tick", "a.py:2")]


# -- reloading


def test_a_changed_file_is_taken_up_and_an_unchanged_one_left_alone(folder: Folder) -> None:
    folder.write("a.py", "@job\ndef first() -> int:\n    return 1")
    folder.write("b.py", "@job\ndef second() -> int:\n    return 1")
    before = load(["a.py", "b.py"])
    stale_at_first = before.is_stale
    folder.write("a.py", "@job\ndef first() -> int:\n    return 2")
    assert (stale_at_first, before.is_stale) == (False, True)
    after = load(["a.py", "b.py"], previous=before)
    assert result(after, "python:a:first") == "2"
    assert after.sources[0] is not before.sources[0]
    assert after.sources[1] is before.sources[1]
    assert result(before, "python:a:first") == "1", "runs that have the old version keep it"


def test_a_changed_helper_is_taken_up(folder: Folder) -> None:
    folder.write("helper.py", "N = 1")
    folder.write("jobs.py", "from helper import N\n@job\ndef tick() -> int:\n    return N")
    loaded = load(["jobs.py"])
    for n in (2, 3, 4):  # same length, same second: no cache of Python's may hide it
        folder.write("helper.py", f"N = {n}")
        loaded = load(["jobs.py"], previous=loaded)
        assert result(loaded, "python:jobs:tick") == str(n)


def test_what_fails_to_load_keeps_its_last_good_version_and_says_so(folder: Folder) -> None:
    folder.write("jobs.py", TWO_JOBS)
    good = load(["jobs.py"])
    folder.write("jobs.py", TWO_JOBS + "\n    import requestz")
    bad = load(["jobs.py"], previous=good)
    assert bad.declarations == good.declarations
    (problem,) = bad.problems
    assert problem.sentence == (
        'jobs.py:10 cannot be loaded: no module "requestz". The previous version (2 jobs) keeps running.'
    )
    assert problem.hint == "pip install requestz; saving the file reloads it"
    assert result(bad, "python:jobs:greet") == '"hello world"'
    assert not bad.is_stale
    folder.write("jobs.py", "@job\ndef only() -> None: ...")
    mended = load(["jobs.py"], previous=bad)
    assert (names(mended), mended.problems) == (["only"], ())


def test_mending_a_helper_that_did_not_load_is_noticed(folder: Folder) -> None:
    folder.write("jobs.py", "@job\ndef tick() -> int:\n    return 1")
    good = load(["jobs.py"])
    folder.write("helper.py", "def broken(:")
    folder.write("jobs.py", "import helper\n@job\ndef tick() -> int:\n    return helper.N")
    bad = load(["jobs.py"], previous=good)
    assert result(bad, "python:jobs:tick") == "1"
    folder.write("helper.py", "N = 2")
    assert bad.is_stale
    assert result(load(["jobs.py"], previous=bad), "python:jobs:tick") == "2"


@pytest.mark.parametrize("then", ["", "raise RuntimeError('half of a file')"])
def test_a_file_saved_while_it_is_loaded_is_loaded_again(folder: Folder, then: str) -> None:
    """An editor may be half done: what was read in between must not pass for what is there since."""
    whole = "from foliot import job\n@job\ndef tick() -> int:\n    return 1\n"
    folder.write("jobs.py", f"from pathlib import Path\nPath(__file__).write_text({whole!r})\n{then}")
    half = load(["jobs.py"])
    assert (names(half), half.is_stale) == ([], True)
    loaded = load(["jobs.py"], previous=half)
    assert (names(loaded), loaded.problems, loaded.is_stale) == (["tick"], (), False)


def test_a_file_that_is_gone_keeps_its_last_good_version(folder: Folder) -> None:
    folder.write("jobs.py", TWO_JOBS)
    good = load(["jobs.py"])
    (folder.path / "jobs.py").unlink()
    gone = load(["jobs.py"], previous=good)
    assert names(gone) == ["tick", "greet"]
    assert "it is not there any more" in gone.problems[0].sentence
    folder.write("jobs.py", TWO_JOBS)
    back = load(["jobs.py"], previous=gone)
    assert (names(back), back.problems) == (["tick", "greet"], ())


def test_a_job_taken_out_of_a_file_is_gone(folder: Folder) -> None:
    folder.write("jobs.py", TWO_JOBS)
    before = load(["jobs.py"])
    folder.write("jobs.py", "@job\ndef tick() -> None: ...")
    assert names(load(["jobs.py"], previous=before)) == ["tick"]


def test_merge_functions_are_handlers_too(folder: Folder) -> None:
    folder.write(
        "jobs.py",
        """
        @job(shards=4)
        def settle(ctx: Ctx) -> int:
            return 1

        @settle.merge
        def report(parts: list[int]) -> int:
            return sum(parts)
        """,
    )
    loaded = load(["jobs.py"])
    assert set(loaded.handlers) == {"python:jobs:settle", "python:jobs:report"}
    assert loaded.declarations[0].definition.merge == python_function("jobs:report")


def test_a_load_says_which_modules_it_has_unless_something_is_wrong(folder: Folder) -> None:
    folder.write("inner.py", TWO_JOBS)
    folder.write("entry.py", "from inner import *\n")
    loaded = load(["entry.py"])
    assert {declaration.module for declaration in loaded.declarations} == {"entry"}, "not where the function is"
    assert loaded.modules == ("entry", "inner")
    folder.write("broken.py", "import nothing_like_this\n")
    assert load(["entry.py", "broken.py"]).modules == (), "what it declares may be incomplete"
