"""Files and environment of this machine, the user's settings and the user's terminal (SEC-19, 20, 27)."""

import json
import stat
from pathlib import Path

from tests.eventually import eventually
from tests.probes.conftest import CANARY, LEAK
from tests.probes.scene import V1, Up, command, started, stranger

ESCAPE, RIGHT_TO_LEFT = "\x1b[2J", "\u202e"


def test_the_data_folder_is_made_private_and_the_token_of_before_is_over(up: Up, token_of_before: list[str]) -> None:
    folder = up.folder / ".foliot"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert up.ask("GET", f"{V1}/whoami").status_code == 200
    assert up.ask("GET", f"{V1}/whoami", token=token_of_before[0]).status_code == 401


def test_a_job_does_not_see_what_its_worker_was_started_with(up: Up) -> None:
    eventually(lambda: up.ask("GET", f"{V1}/jobs/environment").status_code == 200, what="the job is declared")
    run = up.trigger("environment")
    eventually(lambda: up.run(run)["state"] == "SUCCEEDED", what="it ran")
    result = json.dumps(up.run(run)["result"])
    assert "PATH" in result
    assert CANARY not in result


def test_the_password_of_an_address_is_in_no_error_and_no_log(up: Up) -> None:
    eventually(lambda: up.ask("GET", f"{V1}/jobs/leaky").status_code == 200, what="the job is declared")
    run = up.trigger("leaky")
    eventually(lambda: up.run(run)["state"] == "FAILED", what="it failed")
    assert "no connection to postgresql://app:***@db:5432/prod?password=***" in up.run(run)["error"]
    paths = ("", "/logs", "/attempts", "/timeline", "/why")
    said = [up.ask("GET", f"{V1}/runs/{run}{path}").text for path in paths]
    assert said[1].count("postgresql://app:***@db:5432/prod?password=***") >= 2, "printed and logged"
    said += [up.ask("GET", f"{V1}/{path}").text for path in ("journal", "runs")]
    said += [up("run", "show", run).out, up("run", "logs", run).out, (up.folder / "up.log").read_text()]
    assert not [one for one in said if LEAK in one]


def test_a_project_sends_nothing_of_the_user_to_a_server_of_its_choice(tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("private")
    with stranger(b'{"items": []}') as (url, heard):
        for client in (f'server = "{url}"\ntoken_file = "private.txt"', f'server = "{url}"'):
            (tmp_path / "foliot.toml").write_text(f"[client]\n{client}\n")
            for given in ({}, {"FOLIOT_TOKEN_FILE": "private.txt"}):
                command(tmp_path, "job", "list", **given)
    assert not [one for one in heard if "private" in one]


def test_a_token_is_not_sent_unencrypted_over_a_network(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret-of-the-user")
    said = command(tmp_path, "job", "list", "--server", "http://foliot.invalid:7171", "--token-file", "token")
    assert said.code != 0
    assert "--insecure-http" in said.err


def test_what_others_wrote_cannot_steer_a_terminal_or_a_stream(up: Up) -> None:
    evil = f"nice{ESCAPE}{RIGHT_TO_LEFT}"
    made = up.job("evil", group="evil", description=evil)
    assert made.status_code == 201, made.text
    run = up.trigger("evil", reason=evil)
    worker = up.token("evil", "worker")
    up.register(worker, "e", "evil", "python:far:evil")
    (leased,) = up.lease(worker, "e")
    lease = {"run_id": leased["run_id"], "lease_id": leased["lease_id"]}
    chunk = {**lease, "attempt": 1, "offset": 0, "text": f"{ESCAPE}\rid: 9:9:9\revent: end\r\n"}
    up.worker(worker, "logs", "e", chunks=[chunk])
    report = {**lease, "cause": "error", "error": evil, "error_type": evil}
    assert up.worker(worker, "complete", "e", reports=[report]).json() == ["recorded"]

    for args in (("job", "list", "-o", "wide"), ("job", "show", "evil"), ("run", "show", run), ("run", "logs", run)):
        said = up(*args)
        assert said.code == 0, said.err
        assert ESCAPE not in said.out + said.err, args
        assert RIGHT_TO_LEFT not in said.out + said.err, args
    stream = up.ask("GET", f"{V1}/runs/{run}/logs?follow=true").content
    assert b"event: end" in stream
    assert b"\r" not in stream


def test_links_in_the_place_of_the_spool_and_of_its_files_are_not_followed(up: Up, tmp_path: Path) -> None:
    """A worker would write results into a folder of others, or send and empty a file of its own user."""
    (tmp_path / "token").write_text(up.token("spool", "worker"))
    (tmp_path / "linked.py").write_text("from foliot import job\n\n\n@job\ndef linked() -> None: ...\n")
    elsewhere, spool, victim = tmp_path / "elsewhere", tmp_path / "spool", tmp_path / "victim.jsonl"
    elsewhere.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(elsewhere)
    dial = ("worker", "linked.py", "--server", up.began["url"], "--token-file", "token", "--name", "probe-of-links")
    with started(tmp_path, *dial, "--spool", "link") as refused:
        assert refused.wait(60) == 2
    said = (tmp_path / "worker.log").read_text()
    assert "FOL-1091" in said
    assert "it is a link" in said
    assert list(elsewhere.iterdir()) == []

    kept = b'{"type":"report","run_id":1,"lease_id":"x","cause":"succeeded"}\n'
    victim.write_bytes(kept)
    spool.mkdir(mode=0o700)
    (spool / "soft.jsonl").symlink_to(victim)
    (spool / "hard.jsonl").hardlink_to(victim)
    with started(tmp_path, *dial, "--spool", "spool") as worker:
        log = tmp_path / "worker.log"
        eventually(lambda: log.read_text().count("spool.not_ours") >= 2, what="it says that it leaves both alone")
        node = f"{V1}/nodes/probe-of-links"
        eventually(lambda: up.ask("GET", node).status_code == 200, what="it goes on, and registers")
        assert worker.poll() is None, log.read_text()
    assert victim.read_bytes() == kept
    assert {file.name for file in spool.iterdir()} == {"soft.jsonl", "hard.jsonl"}
