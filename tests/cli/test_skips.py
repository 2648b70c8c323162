"""`foliot job skips`: what did not run, of all jobs."""

from tests.cli.conftest import Shell
from tests.eventually import eventually


def test_what_did_not_run_is_listed(foliot: Shell) -> None:
    assert foliot("job", "create", "halted", "--every", "1s", "--py", "jobs:greet").code == 0
    which = ("--job", "halted", "--reason", "paused", "-o", "json")

    def skipped() -> object:
        foliot("job", "pause", "halted")
        foliot("job", "resume", "halted")
        return foliot("job", "skips", *which).json["items"]

    eventually(skipped, within_s=60, what="an instant lies in a pause")
    assert foliot("job", "pause", "halted").code == 0
    newest = foliot("job", "skips", *which).json["items"][0]
    assert (newest["job"], newest["reason"], newest["count"] >= 1) == ("halted", "paused", True)
    assert "the job was paused" in foliot("job", "skips", "--since", "1h", "--job", "halted").out
    wrong = foliot("job", "skips", "--reason", "late")
    assert (wrong.code, "is not one of overlap" in wrong.err) == (2, True)
    assert foliot("job", "delete", "halted", "--yes").code == 0
