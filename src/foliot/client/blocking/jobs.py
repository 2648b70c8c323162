"""Jobs of a cluster."""

# Written by python -m tests.client.derive: change foliot/client/awaited/jobs.py, then run it.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from foliot.client.blocking.run import Run
from foliot.client.calls import Answer, Duration, Moment
from foliot.client.job import Job
from foliot.client.pages import AnswerPage, page_of
from foliot.domain.instants import format_duration, parse_duration

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot

Definition = Mapping[str, Any]


class Jobs:
    """Jobs of a cluster."""

    def __init__(self, client: Foliot) -> None:
        self._client = client
        self._ask = client.ask

    # --------------------------------------------------------------------------------------------------------- running

    def trigger(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: Moment | None = None,
        reason: str = "",
        overlap: str | None = None,
        priority: int | None = None,
        test: bool = False,
        namespace: str | None = None,
    ) -> Run:
        """Ask for a run now or later. The same `key` means the same run, however often it is sent.

        `test`: one attempt beside whatever else runs; it counts in no statistics.
        """
        token = self._client.machine.token()
        raw = self._ask(
            "trigger_job",
            name=name,
            params=dict(params or {}),
            key=key or token,  # a run of its own, and the same run in all tries
            token=token,
            delay=None if delay is None else format_duration(parse_duration(delay)),
            at=at,
            reason=reason,
            overlap=overlap,
            priority=priority,
            test=test or None,
            namespace=namespace,
        )
        return Run(raw, self._client.runs)

    def check_trigger(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: Moment | None = None,
        reason: str = "",
        overlap: str | None = None,
        priority: int | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """Check a trigger; no run is made."""
        answer: Answer = self._ask(
            "trigger_job",
            name=name,
            params=dict(params or {}),
            key=key,
            delay=delay,
            at=at,
            reason=reason,
            overlap=overlap,
            priority=priority,
            dry_run=True,
            namespace=namespace,
        )
        return answer

    # --------------------------------------------------------------------------------------------------------- reading

    def list(
        self,
        *,
        state: str | Sequence[str] | None = None,
        owner: str | None = None,
        group: str | None = None,
        label: Sequence[str] = (),
        names: Sequence[str] = (),
        q: str = "",
        failing: bool = False,
        late: bool = False,
        sort: str | None = None,
        strip: int | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Job]:
        """A page of jobs: those with these tags (`label`), found by a text (`q`), whose last run failed (`failing`).

        `names`: only these, each as a name or as `namespace/name`.
        `strip`: so many of the latest runs come with each job.
        """
        answer = self._ask(
            "list_jobs",
            state=state,
            owner=owner,
            group=group,
            label=label or None,
            names=names or None,
            q=q,
            failing=failing,
            late=late,
            sort=sort,
            strip=strip,
            limit=limit,
            cursor=cursor,
            namespace=namespace,
        )
        return page_of(Job, answer)

    def get(self, name: str, *, strip: int | None = None, namespace: str | None = None) -> Job:
        """A job; `JobNotFound` when there is none of this name. `strip`: so many of its latest runs come with it."""
        return Job(self._ask("get_job", name=name, strip=strip, namespace=namespace))

    def versions(
        self, name: str, *, limit: int = 50, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """A page of its versions, the newest first, with who made each and why."""
        answer = self._ask("list_job_versions", name=name, limit=limit, cursor=cursor, namespace=namespace)
        return page_of(dict, answer)

    def version(self, name: str, version: int, *, namespace: str | None = None) -> Answer:
        """One version with its definition."""
        return dict(self._ask("get_job_version", name=name, version=version, namespace=namespace))

    def diff(self, name: str, before: int, after: int, *, namespace: str | None = None) -> Answer:
        """What changed between two versions, field by field."""
        return dict(self._ask("diff_job_versions", name=name, before=before, after=after, namespace=namespace))

    def fires(
        self,
        name: str,
        *,
        from_: Moment | None = None,
        to: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """Its `past` fires with their runs and skips, and its `future` ones."""
        return dict(
            self._ask("list_job_fires", name=name, from_=from_, to=to, limit=limit, cursor=cursor, namespace=namespace)
        )

    def skips(
        self,
        *,
        job: str | None = None,
        reason: str | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of what was due and did not run, of all jobs, the newest first.

        Of every namespace, unless one is given. Reasons: `overlap`, `misfire`, `calendar`, `paused` …
        """
        where = {"namespace": namespace} if namespace else {}
        asked = {"job": job, "reason": reason, "since": since, "until": until, "limit": limit, "cursor": cursor}
        return page_of(dict, self._ask("list_skips", **asked, **where))

    def why(
        self,
        name: str,
        *,
        at: Moment | None = None,
        since: Moment | None = None,
        tz: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """Why it did or did not run at one instant, or at each since one; all of them when no limit is given."""
        asked = {"at": at, "since": since, "tz": tz, "limit": limit, "cursor": cursor}
        return page_of(dict, self._ask("explain_job", name=name, **asked, namespace=namespace))

    def stats(
        self,
        name: str,
        *,
        from_: Moment | None = None,
        to: Moment | None = None,
        step: str | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """How its runs of a range went, a week unless said: in all, by `minute`, `hour` or `day`, and by node."""
        return dict(self._ask("get_job_stats", name=name, from_=from_, to=to, step=step, namespace=namespace))

    def anomalies(
        self,
        name: str | None = None,
        *,
        kind: str | None = None,
        since: Moment | None = None,
        only_open: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """In what a job, or every job, differs from its own baseline: a page, newest first."""
        where = {"namespace": namespace} if namespace else {}
        which = {"job": name, "kind": kind, "since": since, "only_open": only_open}
        return page_of(dict, self._ask("list_anomalies", limit=limit, cursor=cursor, **which, **where))

    def days(
        self, name: str, *, to: str | None = None, days: int = 366, tz: str | None = None, namespace: str | None = None
    ) -> Answer:
        """How its runs of each day ended, up to the day `to` (a date) or today."""
        return dict(self._ask("get_job_days", name=name, to=to, days=days, tz=tz, namespace=namespace))

    def parameters(self, name: str, *, namespace: str | None = None) -> Answer:
        """The JSON Schema of its parameters, as workers offer it."""
        return dict(self._ask("get_job_parameters", name=name, namespace=namespace))

    # -------------------------------------------------------------------------------------------------------- changing

    def create(self, name: str, definition: Definition, *, reason: str = "", namespace: str | None = None) -> Job:
        """A new job."""
        return Job(self._ask("create_job", name=name, definition=definition, reason=reason, namespace=namespace))

    def validate(self, definition: Definition, *, name: str = "", namespace: str | None = None) -> Answer:
        """What a definition means: its schedule in words, the next instants, warnings. Nothing is saved."""
        return dict(self._ask("validate_job", name=name, definition=definition, namespace=namespace))

    def test(
        self,
        definition: Definition,
        params: Mapping[str, Any] | None = None,
        *,
        name: str = "job",
        reason: str = "",
        namespace: str | None = None,
    ) -> Run:
        """Execute a definition once, now, without saving it: one attempt, which no statistics count."""
        asked = {"name": name, "definition": definition, "params": dict(params or {}), "reason": reason}
        raw = self._ask("try_definition", **asked, namespace=namespace)
        return Run(raw, self._client.runs)

    def put(
        self,
        name: str,
        definition: Definition,
        *,
        if_version: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Job:
        """Save a whole definition over the version that was seen; without one, as a new job."""
        return Job(
            self._ask(
                "put_job",
                name=name,
                definition=definition,
                if_version=if_version,
                reason=reason,
                namespace=namespace,
            )
        )

    def patch(
        self, name: str, definition: Definition, *, if_version: int, reason: str = "", namespace: str | None = None
    ) -> Job:
        """Change the given fields of the version that was seen; a field that is null goes away."""
        return Job(
            self._ask(
                "patch_job",
                name=name,
                definition=definition,
                if_version=if_version,
                reason=reason,
                namespace=namespace,
            )
        )

    def delete(self, name: str, *, if_version: int, reason: str = "", namespace: str | None = None) -> None:
        """Delete the job, if it still has the version that was seen. Its history stays."""
        self._ask("delete_job", name=name, if_version=if_version, reason=reason, namespace=namespace)

    def clone(
        self,
        name: str,
        new_name: str,
        *,
        to_namespace: str | None = None,
        changes: Definition | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Job:
        """A new job from another, with some fields changed."""
        return Job(
            self._ask(
                "clone_job",
                name=name,
                new_name=new_name,
                to_namespace=to_namespace,
                changes=changes,
                reason=reason,
                namespace=namespace,
            )
        )

    def rollback(
        self, name: str, to: int, *, if_version: int | None = None, reason: str = "", namespace: str | None = None
    ) -> Job:
        """A new version with the content of an earlier one."""
        return Job(
            self._ask("rollback_job", name=name, to=to, if_version=if_version, reason=reason, namespace=namespace)
        )

    def pause(self, name: str, *, until: Moment | None = None, reason: str = "", namespace: str | None = None) -> Job:
        """Stop its schedule; triggers go on working."""
        return Job(self._ask("pause_job", name=name, until=until, reason=reason, namespace=namespace))

    def resume(self, name: str, *, catch_up: bool = False, reason: str = "", namespace: str | None = None) -> Job:
        """Let its schedule go on; with `catch_up`, by the misfire policy for the time it was paused."""
        return Job(self._ask("resume_job", name=name, catch_up=catch_up, reason=reason, namespace=namespace))

    def pause_all(
        self,
        *,
        names: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002  as the API says
        expected: int | None = None,
        until: Moment | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Stop the schedules of many jobs: of these names, or of all that a filter lets through.

        `filter` has the filters of `list`; `expected` is how many jobs were seen. When there are others by now,
        nothing is changed. The answer tells what became of each.
        """
        chosen = _chosen(names, filter, expected)
        return dict(self._ask("pause_jobs", **chosen, until=until, reason=reason, namespace=namespace))

    def resume_all(
        self,
        *,
        names: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002
        expected: int | None = None,
        catch_up: bool = False,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Let the schedules of many jobs go on; chosen as for `pause_all`."""
        chosen = _chosen(names, filter, expected)
        return dict(self._ask("resume_jobs", **chosen, catch_up=catch_up, reason=reason, namespace=namespace))

    def trigger_all(
        self,
        *,
        names: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002
        expected: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """One run of each of many jobs, with the parameters of its definition; chosen as for `pause_all`."""
        chosen = _chosen(names, filter, expected)
        return dict(self._ask("trigger_jobs", **chosen, reason=reason, namespace=namespace))

    def delete_all(
        self,
        *,
        names: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002
        expected: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Delete many jobs; chosen as for `pause_all`. Their history stays."""
        chosen = _chosen(names, filter, expected)
        return dict(self._ask("delete_jobs", **chosen, reason=reason, namespace=namespace))

    def reschedule(self, name: str, *, dry_run: bool = False, reason: str = "", namespace: str | None = None) -> Answer:
        """Set its schedule right after the store's clock was ahead: where it stood `before` and stands `after`."""
        return dict(self._ask("reschedule_job", name=name, dry_run=dry_run, reason=reason, namespace=namespace))

    def reschedule_all(
        self,
        *,
        dry_run: bool = False,
        reason: str = "",
        after: int = 0,
        limit: int | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """The same for every job that stands ahead, a stretch at a time: go on with the `after` of the answer."""
        return dict(
            self._ask("reschedule_jobs", dry_run=dry_run, reason=reason, after=after, limit=limit, namespace=namespace)
        )


def _chosen(names: Sequence[str] | None, wanted: Mapping[str, Any] | None, expected: int | None) -> Mapping[str, Any]:
    """Which jobs a verb is about, as the API reads it."""
    jobs = None if names is None else [{"name": name} for name in names]
    return {"jobs": jobs, "filter": wanted, "expected": expected}
