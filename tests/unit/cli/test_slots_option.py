"""`--slots` and `FOLIOT_SLOTS`: what makes no sense is refused before anything starts."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from foliot.cli import main

WORKER = ("worker", "--server", "http://127.0.0.1:1", "--enable", "http")


@pytest.mark.parametrize(
    ("options", "variable", "said"),
    [
        ((*WORKER, "--slots", "8", "--slots", "http=0"), "", "FOL-1146"),
        ((*WORKER, "--slots", "8,http=many"), "", "FOL-1145"),
        ((*WORKER, "--slots", "8", "--slots", "9"), "", "FOL-1147"),
        ((*WORKER, "--slots", "sql=5"), "", "FOL-1148"),
        ((*WORKER, "--slots", "htp=5"), "", 'There is no handler "htp".'),
        ((*WORKER, "--handler-option", "http.slots=0"), "", "handlers.http.slots = 0"),
        (WORKER, "8,http=10001", "FOL-1146"),
        ((*WORKER, "--weight", "0"), "", "1<=x<=100"),
        ((*WORKER, "--weight", "101"), "", "1<=x<=100"),
        (("up", "--slots", "shell=5"), "", "add --enable shell"),
        (("up",), "0", "FOL-1146"),
    ],
)
def test_slots_that_make_no_sense_are_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], variable: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"FOLIOT_SLOTS": variable or None, "FOLIOT_CONFIG": str(tmp_path), "LC_ALL": "C.UTF-8"}
    refused = CliRunner().invoke(main, list(options), prog_name="foliot", env=environment)
    assert refused.exit_code == 2, refused.output
    assert said in refused.stderr
    assert [file.name for file in tmp_path.iterdir()] == []
