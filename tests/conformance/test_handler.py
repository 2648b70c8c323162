"""Kinds of handlers: what each must do for servers and for workers."""

import json
from typing import Any

import pytest

from foliot.app.plugins import HANDLERS
from foliot.domain.errors import BadField
from foliot.domain.handler import JobHandler, check_handler
from foliot.domain.job import Isolation
from foliot.domain.options import option_rows
from foliot.domain.payload import json_text
from foliot.domain.schema import check
from foliot.domain.verdict import Cause
from foliot.ports.handler import BadHandlerSetting
from foliot.ports.worker_link import SCHEMA_BYTES_MAX, LeasedRun
from foliot.words.errors import tell
from foliot.words.language import Language
from tests.conformance.building import NS
from tests.conformance.echo_kind import Echo
from tests.conformance.handling import SECRET, SPECIMENS, Specimen, at_work, tell_kind
from tests.eventually import soon


@pytest.fixture(params=list(SPECIMENS))
def specimen(request: pytest.FixtureRequest) -> Specimen:
    return SPECIMENS[request.param]


BLOCKING = [name for name, specimen in SPECIMENS.items() if specimen.blocks is not None]


def usable(specimen: Specimen) -> list[Any]:
    """Options that the kind takes."""
    options = (specimen.works, specimen.blocks, specimen.fails, specimen.waits)
    return [one for one in options if one is not None]


def test_every_kind_of_foliot_is_in_this_suite() -> None:
    assert set(HANDLERS) <= set(SPECIMENS)


# ------------------------------------------------------------------------------------------------- what servers ask


def test_a_kind_takes_options_it_can_use_and_names_the_field_of_others(specimen: Specimen) -> None:
    kind = specimen.make()
    for options in usable(specimen):
        check_handler("run", JobHandler(kind.kind, options))
        kind.validate(options)
    for options in specimen.bad_options:
        with pytest.raises(BadField, match=rf"run\.{kind.kind}\b"):
            kind.validate(options)


def test_a_kind_states_its_version_and_a_schema_that_takes_what_it_takes(specimen: Specimen) -> None:
    kind = specimen.make()
    assert kind.version
    assert kind.options_schema is not None
    json_text(kind.options_schema, bytes_max=SCHEMA_BYTES_MAX)  # servers take it
    for options in usable(specimen):
        assert check(kind.options_schema, options) == []
    assert check(kind.options_schema, specimen.bad_options[0]), "the schema is no schema of everything"


def test_each_option_of_foliots_own_kinds_has_a_meaning(specimen: Specimen) -> None:
    kind = specimen.make()
    rows = option_rows(kind.options_schema or {})
    assert rows or kind.kind == "python", "the name of a function is no object with options"
    assert [row.name for row in rows if not row.meaning and kind.kind in HANDLERS] == []


def test_a_kind_describes_its_options_in_one_short_line(specimen: Specimen) -> None:
    described = specimen.make().describe(specimen.works)
    assert described
    assert described.isprintable()
    assert len(described) <= 200


# ------------------------------------------------------------------------------------------------- what workers ask


def test_what_a_job_needs_is_among_what_a_worker_offers(specimen: Specimen) -> None:
    kind = specimen.make()
    offered = {offer.name for offer in kind.offers()}
    for options in usable(specimen):
        assert JobHandler(kind.kind, options).offer in offered
    assert all(name.partition(":")[0] == kind.kind for name in offered)


def test_a_run_of_what_is_not_here_has_no_handler(specimen: Specimen) -> None:
    kind = specimen.make()
    run = LeasedRun(
        run_id=1, job_id=1, namespace=NS, job="j", version=1, handler=f"{kind.kind}:nobody:nothing", attempt=1,
        lease_id="l", fence=1, due_at=0, leased_at=0,
    )  # fmt: skip
    assert kind.handler_of(run) is None


@pytest.mark.parametrize("isolation", [None, *Isolation])
async def test_a_run_executes_in_every_isolation(specimen: Specimen, isolation: Isolation | None) -> None:
    async with at_work(specimen) as bench:
        row = bench.add(specimen.works, params=json.dumps(specimen.good_params), isolation=isolation)
        assert await bench.end_of(row) is Cause.SUCCEEDED, row.reports
        assert json.loads(str(row.reports[0].result)) == specimen.returns


@pytest.mark.parametrize("specimen", BLOCKING, indirect=True)
async def test_what_blocks_executes_in_a_child_process_and_never_in_the_loop(specimen: Specimen) -> None:
    params = json.dumps(specimen.params)
    async with at_work(specimen) as bench:
        row, refused = (bench.add(specimen.blocks, params=params, isolation=where) for where in (None, Isolation.LOOP))
        assert await bench.end_of(row) is Cause.SUCCEEDED, row.reports
        assert json.loads(str(row.reports[0].result)) == specimen.returns
        assert await bench.end_of(refused) is Cause.REJECTED


async def test_a_failure_is_an_error_and_bad_parameters_are_rejected(specimen: Specimen) -> None:
    async with at_work(specimen) as bench:
        failed = bench.add(specimen.fails)
        rejected = bench.add(specimen.works, params=json.dumps(specimen.bad_params))
        assert await bench.end_of(failed) is Cause.ERROR
        assert "no luck" in str(failed.reports[0].error)
        assert await bench.end_of(rejected) is Cause.REJECTED
        assert rejected.reports[0].started_us_ago is None


async def test_a_run_stops_when_it_is_asked(specimen: Specimen) -> None:
    async with at_work(specimen) as bench:
        row = bench.add(specimen.waits)
        await soon(lambda: row.lease_id is not None, within_s=60)
        bench.server.cancel(row)
        assert await bench.end_of(row) is Cause.CANCELLED


async def test_what_a_worker_is_told_of_a_kind_holds_wherever_a_run_executes(specimen: Specimen) -> None:
    async with at_work(specimen, specimen.settings) as bench:
        rows = [bench.add(specimen.works, params=json.dumps(specimen.good_params))]
        if specimen.blocks is not None:
            rows.append(bench.add(specimen.blocks, params=json.dumps(specimen.params)))
        for row in rows:
            assert await bench.end_of(row) is Cause.SUCCEEDED, row.reports
            assert json.loads(str(row.reports[0].result)) == specimen.returns_set_up


def test_a_setting_that_a_kind_does_not_know_or_cannot_use_is_refused_and_not_shown(specimen: Specimen) -> None:
    for values in specimen.bad_settings:
        kind = specimen.make()
        with pytest.raises(BadHandlerSetting, match=rf"handlers\.{kind.kind}\.\w+") as refused:
            tell_kind(kind, values)
        told = [*map(str, tell(refused.value)), *map(str, tell(refused.value, Language.CHINESE))]
        assert SECRET not in " ".join([*told, str(refused.value), repr(refused.value.data)])


async def test_a_kind_is_closed_with_its_worker() -> None:
    async with at_work(SPECIMENS["echo"]) as bench:
        await soon(lambda: bool(bench.server.sessions), within_s=60)
        kind = bench.kind
    assert isinstance(kind, Echo)
    assert kind.closed == 1
