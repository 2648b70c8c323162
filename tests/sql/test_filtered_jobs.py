"""A filter among many jobs: the database narrows the jobs down, so that no page is empty while others match."""

import pytest

from foliot.ports.store.lookups import JobFilter
from foliot.store.sql.people import job_reads
from tests.conformance.building import NS, PERSON, PLANS, every
from tests.sql.world import World

NAMES = [f"job-{number:02}" for number in range(20)]
AMONG = 4


@pytest.fixture
async def jobs(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Many more jobs than the server reads for one page."""
    monkeypatch.setattr(job_reads, "LOOK_MAX", 3)
    for name in NAMES:
        text = 'says "QUIET" 100%, Größe' if name == "job-18" else ""
        await every(world, name, description=text, owner="100_0" if name == "job-05" else "")
    await world.store.jobs.pause(NS, "job-17", by=PERSON, plans=PLANS)
    return world


async def first_page(world: World, wanted: JobFilter) -> list[str]:
    page = await world.store.lookups.jobs(wanted, limit=2)
    return [job.name for job in page.items]


async def test_the_first_page_has_what_matches_wherever_it_stands(jobs: World) -> None:
    for text in ("job-18", "JOB-18", '"quiet"', "00%", "größe", "GRÖ", "GRÖßE", "grösse", "GRÖSSE"):
        assert await first_page(jobs, JobFilter(text=text)) == ["job-18"], text
    assert await first_page(jobs, JobFilter(text="0_0")) == ["job-05"]
    assert await first_page(jobs, JobFilter(text="job-18", namespace=NS)) == ["job-18"]
    assert await first_page(jobs, JobFilter(text="job-18", namespace="other")) == []
    assert await first_page(jobs, JobFilter(states=("paused",))) == ["job-17"]
    assert await first_page(jobs, JobFilter(states=("active",), text="job-1")) == ["job-10", "job-11"]
    assert await first_page(jobs, JobFilter(late=True)) == []


async def test_beyond_the_jobs_of_one_look_the_list_goes_on_and_repeats_none(
    jobs: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_reads, "NARROWED", job_reads.narrowed_among(AMONG))
    monkeypatch.setattr(job_reads, "EDGE", job_reads.edge_of(AMONG))
    for text, matching in (("job-", NAMES), ("job-0", NAMES[:10]), ("9", ["job-09", "job-19"]), ("nothing", [])):
        found: list[str] = []
        cursor: str | None = None
        for _ in range(len(NAMES)):
            page = await jobs.store.lookups.jobs(JobFilter(text=text), limit=3, cursor=cursor)
            found += [job.name for job in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert cursor is None
        assert found == matching, text
