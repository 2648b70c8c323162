"""Locks over HTTP: claimed, awaited, renewed and given back by programs; seen and taken away by people."""

from typing import Any

import httpx2
import pytest

from foliot.domain.instants import MINUTE
from foliot.domain.run import parse_run_id
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.locks import LockAsk, RunOwner
from foliot.store.sql.locking import steps as sql
from tests.api.asking import Api
from tests.conformance.locking import acquire

ONE, TWO = "a" * 32, "b" * 32


async def claim(api: Api, claim_id: str, name: str = "acct:42", **body: Any) -> httpx2.Response:
    return await api.ask("PUT", f"/locks/{name}/claims/{claim_id}", {"ttl": "1m", **body})


async def test_a_program_holds_a_lock_renews_it_and_gives_it_to_the_next(api: Api) -> None:
    program = await api.with_scopes("lock")
    first = (await claim(program, ONE)).json()
    assert (first["state"], first["ttl_seconds"]) == ("HELD", 60.0)
    second = (await claim(program, TWO)).json()
    assert (second["state"], second["token"]) == ("WAITING", None)
    taken = await claim(program, "c" * 32, at_once=True)
    assert (taken.status_code, taken.json()["code"]) == (409, "FOL-3040")
    api.stage.elapse("50s")
    assert (await claim(program, ONE)).json()["token"] == first["token"], "asked for again, it is renewed"
    api.stage.elapse("20s")
    assert (await claim(program, ONE, token=first["token"])).json()["state"] == "HELD"
    waiters = (await api.get("/locks/acct:42")).json()["waiters"]
    assert waiters == [], "the second did not ask again for 30 s, so it left the line"
    assert (await program.ask("DELETE", f"/locks/acct:42/claims/{ONE}")).status_code == 204
    assert (await program.ask("DELETE", f"/locks/acct:42/claims/{ONE}")).status_code == 204
    fresh = (await claim(program, "d" * 32)).json()
    assert int(fresh["token"]) > int(first["token"])


async def test_a_claim_that_ran_out_is_lost_and_stays_so(api: Api) -> None:
    program = await api.with_scopes("lock")
    token = (await claim(program, ONE)).json()["token"]
    api.stage.elapse("61s")
    for _ in range(2):
        lost = await claim(program, ONE, token=token)
        assert (lost.status_code, lost.json()["code"]) == (409, "FOL-3043")
    assert (await claim(program, TWO)).json()["state"] == "HELD"


async def test_people_see_who_holds_and_who_waits_and_take_a_lock_away(api: Api) -> None:
    program = await api.with_scopes("lock")
    held = (await claim(program, ONE)).json()
    await claim(program, TWO, shared=True)
    (seen,) = (await api.get("/locks")).json()["items"]
    assert seen == (await api.get("/locks/acct:42")).json()
    assert [one["mode"] for one in (*seen["holders"], *seen["waiters"])] == ["exclusive", "shared"]
    wrong = await api.post("/locks/acct:42:release", {"token": "1"})
    assert (wrong.status_code, wrong.json()["code"]) == (409, "FOL-3043")
    done = await api.post("/locks/acct:42:release", {"token": held["token"], "reason": "it hangs"})
    assert done.status_code == 200
    after = (await api.get("/locks/acct:42")).json()
    assert [one["mode"] for one in after["holders"]] == ["shared"]
    (event,) = [one for one in (await api.get("/journal")).json()["items"] if one["kind"] == "lock.taken_away"]
    assert (event["subject"], event["data"]["token"], event["data"]["reason"]) == ("acct:42", held["token"], "it hangs")
    assert (await claim(program, ONE, token=held["token"])).json()["code"] == "FOL-3043"


async def test_a_token_has_locks_in_its_namespace_alone_and_only_with_the_scope(api: Api) -> None:
    ours = await api.with_scopes("lock", "read", namespace="ours")
    theirs = await api.with_scopes("lock", "read", "run", namespace="theirs")
    token = (await claim(ours, ONE)).json()["token"]
    assert (await claim(theirs, TWO)).json()["state"] == "HELD", "the same name in another namespace"
    assert (await theirs.ask("PUT", f"/locks/x/claims/{TWO}", {}, namespace="ours")).status_code == 403
    assert (await theirs.get("/locks/acct:42", namespace="ours")).status_code == 404
    assert (await theirs.post("/locks/acct:42:release", {"token": token}, namespace="ours")).status_code == 404
    reader = await api.with_scopes("read", "run", "write")
    assert (await claim(reader, "e" * 32)).status_code == 403
    assert (await (await api.with_scopes("lock")).get("/locks")).status_code == 403
    # Another token cannot speak for a claim that it guessed.
    other = await api.with_scopes("lock", namespace="ours")
    assert (await claim(other, ONE)).json()["code"] == "FOL-3043"
    await other.ask("DELETE", f"/locks/acct:42/claims/{ONE}")
    assert (await claim(ours, ONE)).json()["token"] == token


async def test_bad_claims_are_refused_with_the_field_that_is_wrong(api: Api) -> None:
    for body, field in (({"ttl": "0s"}, "ttl"), ({"ttl": "soon"}, "ttl"), ({"shared": True, "slots": 2}, "slots")):
        refused = await claim(api, ONE, **body)
        assert refused.status_code == 422
        assert field in refused.text
    assert (await claim(api, ONE, name="a b")).json()["code"] == "FOL-1056"
    assert (await claim(api, "%20")).status_code == 422
    assert (await api.get("/locks/nothing")).json()["code"] == "FOL-2016"


async def test_a_token_for_one_group_takes_away_the_locks_of_its_jobs_and_its_own_alone(api: Api) -> None:
    await api.create_job("bill", group="billing")
    run_id = parse_run_id(await api.stage.trigger("bill"))
    worker = await api.stage.worker("w", group="billing", handlers=["python:jobs:bill"])
    run = await worker.lease()
    assert run is not None
    assert run.run_id == run_id
    owner = RunOwner(session=worker.session, run_id=run_id, lease_id=run.lease_id)
    asked = LockAsk(claim="r" * 32, namespace="", name="ledger", most=1, ttl_us=MINUTE, run=owner)
    of_run = str((await acquire(api.stage.store.locks, asked)).token)
    of_program = (await claim(await api.with_scopes("lock"), ONE)).json()["token"]
    reports = await api.with_scopes("run", "lock", group="reports")
    billing = await api.with_scopes("run", "lock", group="billing")
    for name, token in (("ledger", of_run), ("acct:42", of_program)):
        refused = await reports.post(f"/locks/{name}:release", {"token": token})
        assert (refused.status_code, refused.json()["code"]) == (403, "FOL-4001")
    assert (await billing.post("/locks/ledger:release", {"token": of_run})).status_code == 200
    own = (await claim(billing, TWO, "own")).json()["token"]
    assert (await reports.post("/locks/own:release", {"token": own})).status_code == 403
    assert (await billing.post("/locks/own:release", {"token": own})).status_code == 200
    assert (await api.post("/locks/acct:42:release", {"token": of_program})).status_code == 200


async def test_one_claim_on_two_locks_is_a_conflict(api: Api) -> None:
    await claim(api, ONE, "a")
    refused = await claim(api, ONE, "b")
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3043")


async def test_a_lock_says_in_which_order_to_take_it_and_who_may_not_release_it_reads_why(api: Api) -> None:
    await claim(api, ONE)
    assert (await api.get("/locks/acct:42")).json()["advice"] is None
    data = {"cycle": "r-1 waits for acct:7, held by r-2", "locks": ["acct:42", "acct:7"]}
    happening = Happening(
        key="k", topic=Topic.CLUSTER, kind="lock.deadlock", subject="acct:7", namespace="default", data=data
    )
    await api.stage.store.journal.note([happening])
    held = (await api.get("/locks/acct:42")).json()
    assert held["advice"] == (
        "take these locks in one order everywhere, such as acct:42, acct:7; 1 deadlock of them was ended lately"
    )
    reports = await api.with_scopes("run", group="reports")
    refused = await reports.post("/locks/acct:42:release", {"token": held["holders"][0]["token"]})
    assert (
        refused.json()["detail"]
        == "This token has the scopes read and run, but this needs the scope run on every group."
    )


async def test_a_token_with_too_many_claims_reads_how_many_it_may_have(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "ASKER_CLAIMS_MAX", 1)
    await claim(api, ONE)
    refused = await claim(api, TWO, "other")
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3048")
