"""Next steps that lead on: what a user is told to do is possible, helps, and is said once."""

import pytest

from tests.cli.conftest import Shell

DECLARES = "from foliot import job\n\n\n@job\ndef settle() -> None: ...\n"


@pytest.fixture
def project(alone: Shell) -> Shell:
    """A folder with a package and a file of jobs."""
    package = alone.folder / "billing"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "settling.py").write_text(DECLARES)
    (alone.folder / "tasks.py").write_text("import billing.nothing_like_it\n")
    return alone


def worker(shell: Shell, *modules: str) -> tuple[int, str]:
    (shell.folder / "worker.token").write_text("fol_" + "a1b2" * 10)
    done = shell.process("worker", *modules, "--server", "http://127.0.0.1:1", "--token-file", "worker.token")
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (
            "billing.setling",
            '✖ billing.setling cannot be loaded: no module "billing.setling".\n  did you mean billing.settling?',
        ),
        (
            "tasks.py",
            (
                '✖ tasks.py:1 cannot be loaded: no module "billing.nothing_like_it".\n'
                "  billing is there, but it has no nothing_like_it"
            ),
        ),
        (
            "biling.settling",
            '✖ biling.settling cannot be loaded: no module "biling".\n  did you mean billing?',
        ),
        (
            "warehouse.jobs",
            (
                '✖ warehouse.jobs cannot be loaded: no module "warehouse".\n'
                "  is it in this folder, or installed? a file is named with its ending: jobs.py"
            ),
        ),
        ("task.py", "✖ task.py cannot be loaded: there is no such file.\n  did you mean tasks.py?"),
    ],
)
def test_a_module_that_is_not_there_gets_one_error_with_its_next_step(project: Shell, module: str, told: str) -> None:
    code, said = worker(project, module)
    assert (code, said) == (2, f"{told}  [FOL-1009]\n")


def test_who_has_no_token_is_told_how_to_get_one_from_this_server(foliot: Shell, alone: Shell) -> None:
    server = foliot("context", "show", "-o", "json").json["items"][0]["value"]
    refused = alone("job", "list", "--server", server)
    assert refused.code == 4
    sentence, next_step = refused.err.splitlines()
    assert sentence == "✖ Not logged in: no token was given."
    assert next_step.startswith(f"  log in: foliot login {server} (foliot login-link makes a code), or ")


def test_a_store_that_does_not_answer_is_not_explained_by_the_command_that_asked_it(alone: Shell) -> None:
    (alone.folder / "not-a-store").write_text("this is no database, and it is long enough to be seen as none" * 20)
    for words in (("db", "status"), ("server",)):
        refused = alone.process(*words, "--db", f"sqlite:///{alone.folder / 'not-a-store'}")
        assert refused.returncode != 0
        assert "foliot db status" not in refused.stderr


def test_a_bad_cron_expression_is_not_sent_to_the_command_that_read_it(alone: Shell) -> None:
    refused = alone("cron", "explain", "0 25 * * *")
    assert (refused.code, "foliot cron explain" in refused.err) == (2, False)


def test_a_mistake_inside_the_server_has_a_code_that_is_explained(alone: Shell) -> None:
    told = alone("docs", "FOL-0000")
    assert told.code == 0
    assert told.out.startswith("FOL-0000  Something that went wrong inside Foliot\n  a mistake of Foliot itself\n")
    assert "Look for the trace id in the server's log" in told.out
