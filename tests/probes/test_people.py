"""Limits of a namespace, tokens and logins (SEC-05, 07, 08, 27)."""

import httpx2

from tests.probes.scene import V1, Up, first_login

FEW, MANY = {"concurrency": {"db": 1}}, {"concurrency": {"db": 100}}


def test_a_job_of_another_namespace_does_not_widen_a_limit(up: Up) -> None:
    assert up.job("charge", "pay", group="charging", place=FEW).status_code == 201
    up.job("play", "games", group="playing", place=MANY)
    worker = up.token("charges", "worker")
    for _ in range(3):
        up.trigger("charge", "pay")
    up.register(worker, "d", "charging", "python:far:charge")
    assert len(up.lease(worker, "d")) == 1


def test_an_end_of_a_token_is_the_end_of_both_its_secrets(up: Up) -> None:
    old = up.token("rotating", "read")
    new = up.ask("POST", f"{V1}/tokens/rotating:rotate", {"grace": "1h"}).json()["token"]
    assert [up.ask("GET", f"{V1}/whoami", token=one).status_code for one in (old, new)] == [200, 200]
    assert up.ask("DELETE", f"{V1}/tokens/rotating").status_code == 200
    assert [up.ask("GET", f"{V1}/whoami", token=one).status_code for one in (old, new)] == [401, 401]


def test_a_token_is_for_a_namespace_and_a_group_that_can_be(up: Up) -> None:
    for limits in ({"namespace": "no such\n"}, {"group": "a/b c"}, {"namespace": "x" * 300}):
        refused = up.ask("POST", f"{V1}/tokens", {"name": "odd", "scopes": ["worker"], **limits})
        assert refused.status_code == 422, limits


def test_wrong_codes_of_one_address_lock_out_no_other(up: Up) -> None:
    url, code = up.began["url"], first_login(up)
    with httpx2.Client(base_url=url, transport=httpx2.HTTPTransport(local_address="127.0.0.3")) as guesser:
        said = [guesser.post(f"{V1}/login", json={"code": f"guess-{n}"}).status_code for n in range(15)]
    assert 429 in said
    with httpx2.Client(base_url=url, transport=httpx2.HTTPTransport(local_address="127.0.0.4")) as browser:
        assert browser.post(f"{V1}/login", json={"code": code}).status_code == 200
