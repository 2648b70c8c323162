"""The worker does its work: leases, executes in each isolation, reports, logs."""

from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from tests.unit.worker.house import working


async def test_runs_are_executed_and_reported() -> None:
    async with working() as house:
        rows = [house.add("echo", params=f'{{"value": {i}}}') for i in range(20)]
        await house.done()
        assert [row.reports[0].result for row in rows] == [str(i) for i in range(20)]
        assert all(row.state is RunState.SUCCEEDED and row.leases == 1 for row in rows)


async def test_a_plain_function_runs_in_a_child_process() -> None:
    async with working() as house:
        row = house.add("add", params='{"a": 41}')
        await house.done()
        assert row.reports[0].result == "42"
        assert row.cause is Cause.SUCCEEDED
