"""Jobs that call a URL, on real processes: a worker is killed while its calls are open (S7, S8)."""

import pytest

from tests.cluster.api import people_of
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.web_site import Visit, WebSite

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

MAY_CALL = ("--enable", "http", "--handler-option", 'http.allow=["loopback"]')


def first_hangs(visit: Visit) -> bool:
    """The first request gets no answer, a later one does."""
    if len(visit.site.requests(visit.seen.path)) == 1:
        visit.gone()
    else:
        visit.answer(200, {"settled": True})
    return True


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_a_call_of_a_killed_worker_is_made_again_unless_it_may_be_made_once_only(cluster: Cluster) -> None:
    site = WebSite()
    site.pages |= {"/again": first_hangs, "/once": first_hangs}
    cluster.start_server("s1")
    cluster.start_worker("w1", jobs="", options=MAY_CALL)
    await cluster.answers("s1")
    async with people_of(cluster, "s1") as api:
        runs = {}
        for name, on_lost in {"again": "rerun", "once": "fail"}.items():
            definition = {"run": {"http": {"url": f"{site.url}/{name}"}}, "on_lost": on_lost}
            created = await api.ask("POST", "/api/v1/jobs", {"name": name, "definition": definition})
            assert created.status_code == 201, created.text
            runs[name] = (await api.trigger(name)).json()["id"]
        await soon(lambda: site.requests("/again") and site.requests("/once"), within_s=60, what="both calls are open")

        cluster.kill("w1")
        await soon(lambda: {*site.log.gone} == {"/again", "/once"}, within_s=60, what="their connections are gone")
        cluster.start_worker("w2", jobs="", options=MAY_CALL)
        again, once = await api.ended(runs["again"]), await api.ended(runs["once"])

    assert (again["state"], again["attempt"], again["result"]["body"]) == ("SUCCEEDED", 2, {"settled": True}), again
    assert (once["state"], once["kind"]) == ("FAILED", "lost"), once
    first, second = (seen.headers for seen in site.requests("/again"))
    assert first["idempotency-key"] == second["idempotency-key"]
    assert int(first["foliot-fence"]) < int(second["foliot-fence"])
    assert len(site.requests("/once")) == 1
    site.close()
