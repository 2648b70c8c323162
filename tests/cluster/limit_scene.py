"""Limits and rates of every kind that hold while other things break: set, filled, and judged from the history.

The judge must see an excess. So it also gets the same history with each limit one smaller and each rate far slower:
then it must find fault with every one of them. For the limits that shows, too, that each was full at some time, which
long runs make certain; how fast runs start depends on the machine, so a rate need not have been.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.limits import LimitKind
from foliot.domain.rates import Bucket, Rate
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.store import SqlStore
from foliot_check.findings import Finding, verify
from foliot_check.history import Change, History, Row
from tests.cluster.cluster import BY, Cluster
from tests.eventually import NotInTime, soon

JOBS = "tests.cluster.limited_jobs"
HOLD_S = 5.0
HOLDS_MAX = 10
TWO_AT_A_TIME = Statement("SELECT id FROM jobs WHERE name = 'two_at_a_time'")
FULL = Statement("SELECT name FROM limits WHERE used >= max")
CUSTOMERS = ("anne", "bert")
KEYED = ("one_of_a_customer", "three_a_second_of_a_customer")
PACE = Bucket.of(Rate(25, SECOND), 10)  # of all jobs together
PLAIN = ("two_at_a_time", "heavy", "light", "one_on_a_worker", "six_a_second")


async def fill_limits(cluster: Cluster, *, each: int, slots: int) -> None:
    """Limit the group and the namespace of all jobs, and ask for so many runs of each limited job."""
    for name in (*PLAIN, *KEYED, "unlimited"):
        await cluster.declared(name)
    async with cluster.open_store() as store:
        for kind, bucket in ((LimitKind.GROUP, PACE), (LimitKind.NAMESPACE, None)):
            await store.limits.set_scope(kind, "default", max_=slots, bucket=bucket, is_rate_kept=False)
        await _hold_limits(cluster, store, slots=slots)
        for number in range(each):
            orders: list[tuple[str, str | None]] = [(name, None) for name in PLAIN]
            orders += [(name, json.dumps({"customer": CUSTOMERS[number % 2]})) for name in KEYED]
            for name, params in orders:
                order = TriggerRequest(namespace="default", job=name, key=f"{name}-{number}", by=BY, params=params)
                await store.runs.trigger(order)


async def _hold_limits(cluster: Cluster, store: SqlStore, *, slots: int) -> None:
    """Until each limit by number was seen full, however slow the machine is: long runs hold them all at a time.

    They go before the load: where that fills every slot, runs of the lowest priority would not start for minutes.
    """
    wanted = {"res:default/db", "grp:default", "ns:default"}
    ((job_id,),) = await store.database.read(lambda tx: tx.tuples(TWO_AT_A_TIME))
    wanted.add(f"job:{job_id}")
    seen: set[str] = set()

    async def all_full() -> bool:
        cluster.check_processes()
        seen.update(name for (name,) in await store.database.read(lambda tx: tx.tuples(FULL)))
        return wanted <= seen

    for hold in range(HOLDS_MAX):
        for name, count in {"two_at_a_time": 2, "light": 3, "unlimited": slots - 5}.items():
            for number in range(count):
                key, params = f"{name}-hold-{hold}-{number}", json.dumps({"for_s": HOLD_S})
                await store.runs.trigger(
                    TriggerRequest(namespace="default", job=name, key=key, by=BY, params=params, priority=10)
                )
        with suppress(NotInTime):
            await soon(all_full, within_s=2 * HOLD_S, step_s=0.05, what="each limit is full")
            return
    raise AssertionError(f"never full: {wanted - seen}")


async def limits_were_kept(cluster: Cluster, findings: Mapping[str, Finding], *, each: int) -> None:
    """Every invariant held; and of one less of each limit the judge says that it was passed."""
    history = await cluster.history()
    jobs = {row["name"]: row["id"] for row in history.jobs}
    strict = verify(tightened(history), frozenset({"I22", "I23"}))
    by_number, by_rate = "\n".join(strict["I22"].wrong), "\n".join(strict["I23"].wrong)
    full = [f"limit job:{jobs['two_at_a_time']}:", "limit res:default/db:", "limit grp:default:", "limit ns:default:"]
    assert [name for name in full if name not in by_number] == [], by_number
    keys = [f"job {jobs['one_of_a_customer']} with customer {json.dumps(customer)}:" for customer in CUSTOMERS]
    paces = [f"job {jobs['six_a_second']}:"]
    paces += [f"job {jobs[KEYED[1]]} with customer {json.dumps(customer)}:" for customer in CUSTOMERS]
    paces += ["grp:default:"]
    workers = [f"job {jobs['one_on_a_worker']} on worker "]
    assert [name for name in (*keys, *paces, *workers) if name not in by_rate] == [], by_rate
    assert findings["I22"].looked_at > len(full) * each
    assert findings["I23"].looked_at > (len(keys) + len(paces)) * each // 2


def tightened(history: History) -> History:
    """The same history, as if each limit were one smaller and each rate so slow that no two runs fit into the scene."""
    return replace(
        history,
        changes=[_smaller(change) for change in history.changes],
        versions=[{**row, "definition": _stricter(row["definition"])} for row in history.versions],
    )


def _smaller(change: Change) -> Change:
    if change.table != "limits":
        return change
    pace_us = change.row["pace_us"]
    return replace(change, row={**change.row, "max": change.row["max"] - 1, "pace_us": pace_us and HOUR})


def _stricter(definition: Row) -> dict[str, Any]:
    place = dict(definition.get("place") or {})
    for field in ("max_per_key", "max_per_worker"):
        if field in place:
            place[field] -= 1
    if "rate" in place:
        place["rate"] = "1/h"
    return {**definition, "place": place}
