"""Times as people type them, against a real server."""

from tests.cli.conftest import Shell


def test_the_past_is_filled_up_to_now(foliot: Shell) -> None:
    foliot("job", "create", "daily", "--every", "1d", "--py", "jobs:greet", "--overlap", "allow")
    try:
        for until in (("--to", "now"), ()):
            preview = foliot("job", "backfill", "daily", "--from", "7d", *until, "--dry-run", "-o", "json")
            assert (preview.code, preview.err) == (0, "")
            assert preview.json["count"] == 7
        done = foliot("job", "backfill", "daily", "--from", "7d", "--to", "now", "--wait", "--yes")
        assert (done.code, "started: 7 runs" in done.err) == (0, True), done.err
        assert foliot("job", "fires", "daily", "--from", "now", "--to", "+2d", "-o", "json").json["future"]
    finally:
        foliot("job", "delete", "daily", "--yes")
