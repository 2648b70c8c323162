"""Runs of a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from foliot.client.awaited.run import AsyncRun
from foliot.client.awaited.stream_reader import streamed
from foliot.client.calls import Answer, Duration, Moment
from foliot.client.pages import AnswerPage, page_of
from foliot.client.run_end import EndWait
from foliot.client.streams import LogStream

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncRuns:
    """Runs of a cluster."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._client = client
        self._ask = client.ask

    # --------------------------------------------------------------------------------------------------------- reading

    async def get(self, run: str) -> AsyncRun:
        """A run; `RunNotFound` when there is none with this id (any more)."""
        return self._of(await self._ask("get_run", run=run))

    async def list(
        self,
        *,
        job: str | None = None,
        state: str | Sequence[str] | None = None,
        kind: str | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        ended_since: Moment | None = None,
        ended_until: Moment | None = None,
        node: str | None = None,
        label: Sequence[str] = (),
        shards: bool = False,
        tests: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[AsyncRun]:
        """A page of runs, the newest first: of jobs with these tags (`label`), failed so (`kind`), with `shards`.

        `since` and `until` say when they were created, `ended_since` and `ended_until` when they were over. `tests`:
        `only` those, or `none` of them.
        """
        answer = await self._ask(
            "list_runs",
            job=job,
            state=state,
            kind=kind,
            since=since,
            until=until,
            ended_since=ended_since,
            ended_until=ended_until,
            node=node,
            label=label or None,
            shards=shards,
            tests=tests,
            limit=limit,
            cursor=cursor,
            namespace=namespace,
        )
        return page_of(self._of, answer)

    async def wait(self, run: str, timeout: Duration = "1h") -> AsyncRun:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        waiting = EndWait(self._client, run, timeout)
        while not (seen := self._of(await self._client.send(waiting.call()))).is_final:
            await self._client.machine.pause_async(waiting.pause_s(seen))
        return seen

    async def watch(self, run: str, timeout: Duration = "1h", *, every: Duration = "500ms") -> AsyncIterator[AsyncRun]:
        """The run as it is now, again and again until it is over; `RunNotFinished` when that takes longer."""
        waiting = EndWait(self._client, run, timeout, every=every)
        while True:
            seen = self._of(await self._client.send(waiting.call()))
            yield seen
            if seen.is_final:
                return
            await self._client.machine.pause_async(waiting.pause_s(seen))

    async def result(self, run: str) -> Answer:
        """Its state, and the `result` it returned; null while there is none."""
        return dict(await self._ask("get_run_result", run=run))

    async def attempts(self, run: str, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Every try, the oldest first."""
        return page_of(dict, await self._ask("list_run_attempts", run=run, limit=limit, cursor=cursor))

    async def shards(self, run: str, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[AsyncRun]:
        """Its shards in order."""
        return page_of(self._of, await self._ask("list_run_shards", run=run, limit=limit, cursor=cursor))

    async def timeline(self, run: str, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Due, created, leased, started, ended: every moment, the oldest first."""
        return page_of(dict, await self._ask("get_run_timeline", run=run, limit=limit, cursor=cursor))

    async def why(self, run: str, *, tz: str | None = None) -> Answer:
        """Where it stands and what it waits for, in a sentence."""
        return dict(await self._ask("explain_run", run=run, tz=tz))

    async def why_many(self, runs: Sequence[str], *, tz: str | None = None) -> Answer:
        """The same of several runs in one request, at most 50: `items`, without those that are not there."""
        return dict(await self._ask("explain_runs", ids=",".join(runs), tz=tz))

    async def lines(
        self,
        run: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 500,
        attempt: int | None = None,
        shard: int | None = None,
        level: str | None = None,
        grep: str | None = None,
    ) -> Answer:
        """A window of its log: the last lines, those before the position of a line, or those after it."""
        which = {"attempt": attempt, "shard": shard, "level": level, "grep": grep}
        return dict(await self._ask("get_run_lines", run=run, before=before, after=after, limit=limit, **which))

    def logs(
        self,
        run: str,
        *,
        attempt: int | None = None,
        follow: bool = False,
        shard: int | None = None,
        level: str | None = None,
        grep: str | None = None,
        since: Moment | None = None,
        tail: int | None = None,
    ) -> AsyncIterator[str]:
        """The lines of a run; with `follow`, as they come, until it is over."""
        which = {"attempt": attempt, "shard": shard, "level": level, "grep": grep, "since": since}
        return streamed(self._client, LogStream(run, follow=follow, tail=tail, **which))

    # -------------------------------------------------------------------------------------------------------- changing

    async def cancel(self, run: str, *, reason: str = "", force: bool = False) -> AsyncRun:
        """Ask a run to stop; with `force`, end it at once."""
        return self._of(await self._ask("cancel_run", run=run, reason=reason, force=force))

    async def retry(
        self, run: str, *, version: str = "original", failed_shards: bool = False, reason: str = ""
    ) -> AsyncRun:
        """A new run with the same parameters and due instant, of the `original` version of the job or the `latest`.

        `failed_shards`: of a sharded run only the shards that did not succeed; the others keep their results.
        """
        how = {"version": version, "failed_shards": failed_shards}
        return self._of(await self._ask("retry_run", run=run, **how, reason=reason))

    async def cancel_many(
        self,
        ids: Sequence[str] | None = None,
        *,
        job: str | None = None,
        states: Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        expected: int | None = None,
        reason: str = "",
        force: bool = False,
        namespace: str | None = None,
    ) -> Answer:
        """Cancel runs by ids, or those of a job that are `expected` as many: the `outcome` of each, and its run."""
        return dict(
            await self._ask(
                "cancel_runs",
                ids=ids,
                job=job,
                states=states,
                since=since,
                until=until,
                expected=expected,
                reason=reason,
                force=force,
                namespace=namespace,
            )
        )

    async def retry_many(
        self,
        ids: Sequence[str] | None = None,
        *,
        job: str | None = None,
        states: Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        expected: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> AnswerPage[AsyncRun]:
        """Run finished runs again, by ids, or `expected` ones of a job; `raw["refused"]` has those that cannot be.

        One that cannot be run again stops no other. When none can, that is the error.
        """
        answer = await self._ask(
            "retry_runs",
            ids=ids,
            job=job,
            states=states,
            since=since,
            until=until,
            expected=expected,
            reason=reason,
            namespace=namespace,
        )
        return page_of(self._of, answer)

    def _of(self, raw: Mapping[str, Any]) -> AsyncRun:
        return AsyncRun(raw, self)
