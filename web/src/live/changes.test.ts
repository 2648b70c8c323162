import { describe, expect, test } from "vitest";
import type { JobOut, RunOut } from "../api/types.ts";
import { BACK, type Change, isMissing, patched, patchedJob, RESET, readChange, staleBy } from "./changes.ts";

function change(
  kind: string,
  data: Record<string, unknown> = {},
  namespace: string | null = "default",
): Change {
  return { kind, subject: "tick", namespace, data };
}

const run = {
  id: "r-1",
  job: "tick",
  state: "PENDING",
  shown: "HELD",
  attempt: 0,
  node: null,
  kind: null,
  started_at: null,
} as RunOut;
const AT = "2026-11-16T06:00:00Z";

describe("what a change makes stale", () => {
  test("a run: the overview, the jobs, that run and its job, and no list of runs, which is changed in place", () => {
    const stale = staleBy(change("run.ended", { id: "r-1", job: "tick" }));
    expect(stale).toContainEqual({ what: "run", id: "r-1" });
    expect(stale).toContainEqual({ what: "job", namespace: "default", name: "tick" });
    expect(stale.map((one) => one.what)).not.toContain("runs");
  });

  test("a job: the list of jobs and that job", () => {
    expect(staleBy(change("job.paused"))).toContainEqual({ what: "job", namespace: "default", name: "tick" });
  });

  test("a node or a leader: the cluster", () => {
    expect(staleBy(change("leader.elected", {}, null))).toContainEqual({ what: "cluster" });
  });

  test("a reset: everything", () => {
    expect(staleBy(RESET)).toEqual([{ what: "everything" }]);
  });

  test("a server that answers again: what could not be read", () => {
    expect(staleBy(BACK)).toEqual([{ what: "failures" }]);
  });

  test.each([
    ["calendar.saved", "calendars"],
    ["alert.fired", "alerts"],
    ["silence.made", "alerts"],
    ["check.paused", "checks"],
    ["alert.fired", "checks"],
    ["report_schedule.saved", "reports"],
    ["backfill.started", "backfills"],
    ["token.revoked", "tokens"],
    ["lock.taken_away", "locks"],
    ["limit.set", "limits"],
    ["node.draining", "cluster"],
    ["run.cancelled", "journal"],
  ])("%s: the list of it, and the journal", (kind, list) => {
    const stale = staleBy(change(kind)).map((one) => one.what);
    expect(stale).toContain(list);
    expect(stale).toContain("journal");
  });

  test("what every run does: nothing in the journal", () => {
    expect(staleBy(change("run.started", { id: "r-1" })).map((one) => one.what)).not.toContain("journal");
  });
});

describe("a run on the screen", () => {
  test("starts and ends in place", () => {
    const started = patched(
      run,
      change("run.started", { id: "r-1", state: "RUNNING", attempt: 1, node: "w", at: AT }),
    );
    expect(started).toMatchObject({
      state: "RUNNING",
      shown: "RUNNING",
      attempt: 1,
      node: "w",
      started_at: AT,
    });
    const later = "2026-11-16T06:00:05Z";
    const ended = patched(
      started,
      change("run.ended", { id: "r-1", state: "FAILED", kind: "error", at: later }),
    );
    expect(ended).toMatchObject({
      state: "FAILED",
      kind: "error",
      ended_at: later,
      duration_s: 5,
      node: "w",
    });
  });

  test("that is over does not come back to life by a change that was sent twice", () => {
    const over = { ...run, state: "SUCCEEDED" } as RunOut;
    expect(patched(over, change("run.started", { id: "r-1", state: "RUNNING" }))).toBe(over);
  });

  test("stays the same object for a change of another", () => {
    expect(patched(run, change("run.ended", { id: "r-2", state: "FAILED" }))).toBe(run);
    expect(patched(run, change("job.changed", { id: "r-1" }))).toBe(run);
  });
});

describe("a run that goes back", () => {
  const running = { ...run, state: "RUNNING", shown: "RUNNING", attempt: 1, started_at: AT } as RunOut;

  test("waits again for its next attempt, and keeps its first start", () => {
    const waits = { id: "r-1", state: "PENDING", shown: "RETRYING", attempt: 1 };
    const back = patched(running, change("run.waiting", waits));
    expect(back).toMatchObject({ state: "PENDING", shown: "RETRYING", attempt: 1, started_at: AT });
    const again = patched(
      back,
      change("run.started", { id: "r-1", state: "RUNNING", attempt: 2, node: "w", at: "later" }),
    );
    expect(again).toMatchObject({ state: "RUNNING", attempt: 2, started_at: AT });
  });

  test("and one that ended without a start has no duration", () => {
    const ended = patched(run, change("run.ended", { id: "r-1", state: "CANCELLED", at: AT }));
    expect(ended).toMatchObject({ state: "CANCELLED", ended_at: AT, duration_s: null });
  });

  test("one that is asked to stop is seen to be stopping", () => {
    const asked = { id: "r-1", state: "RUNNING", shown: "CANCELLING", node: "w" };
    expect(patched(running, change("run.started", asked))).toMatchObject({ shown: "CANCELLING" });
  });

  test("one that is held stays so while it waits: what holds it is not told with it", () => {
    const waits = change("run.waiting", { id: "r-1", state: "PENDING", shown: "PENDING" });
    expect(patched(run, waits)).toMatchObject({ shown: "HELD" });
    expect(patched({ ...run, shown: "PENDING" }, waits)).toMatchObject({ shown: "PENDING" });
  });

  test("a change without a state leaves it as it is", () => {
    expect(patched(running, change("run.changed", { id: "r-1" }))).toBe(running);
  });
});

describe("a job that somebody pauses", () => {
  const job = { name: "settle", namespace: "default", state: "ACTIVE", next_at: AT } as JobOut;
  const of = (kind: string, data = {}) => ({ kind, subject: "settle", namespace: "default", data });
  const paused = patchedJob(job, of("job.paused", { by: "ada", reason: "month end", at: AT, until: null }));

  test("is paused at once, with its reason, and goes on at once", () => {
    expect(paused).toMatchObject({
      state: "PAUSED",
      paused_by: "ada",
      pause_reason: "month end",
      paused_until: null,
    });
    expect(patchedJob(paused, of("job.resumed"))).toMatchObject({ state: "ACTIVE", pause_reason: "" });
  });

  test("stays the same object for other changes, other jobs, and a change that was sent twice", () => {
    expect(patchedJob(job, of("job.changed"))).toBe(job);
    expect(patchedJob(job, { ...of("job.paused"), subject: "other" })).toBe(job);
    expect(patchedJob(job, { ...of("job.paused"), namespace: "billing" })).toBe(job);
    expect(patchedJob(paused, of("job.paused"))).toBe(paused);
    expect(patchedJob(job, of("job.resumed"))).toBe(job);
  });
});

describe("a list of runs lacks a run", () => {
  const failed = change("run.ended", { id: "r-9", job: "tick", state: "FAILED" });
  const waits = change("run.created", { id: "r-9", job: "tick", state: "PENDING" });
  const none = new Set<string>();

  test("that fits its filter, whether it was seen to begin or not", () => {
    expect(isMissing(failed, {}, none)).toBe(true);
    expect(isMissing(failed, { job: "tick", state: "FAILED" }, none)).toBe(true);
    expect(isMissing(waits, { state: "HELD" }, none)).toBe(true);
    const again = change("run.waiting", { id: "r-9", job: "tick", state: "PENDING", shown: "RETRYING" });
    expect(isMissing(again, { state: "RETRYING" }, none)).toBe(true);
    expect(isMissing(again, { state: "PENDING" }, none)).toBe(true);
    expect(isMissing(waits, { state: "RETRYING" }, none)).toBe(false);
  });

  test("but none that it shows, and none that the filter leaves out", () => {
    expect(isMissing(failed, {}, new Set(["r-9"]))).toBe(false);
    expect(isMissing(failed, { job: "other" }, none)).toBe(false);
    expect(isMissing(waits, { state: "FAILED" }, none)).toBe(false);
    expect(isMissing(change("job.paused"), {}, none)).toBe(false);
    expect(isMissing(failed, { ended_since: AT, ended_until: AT }, none)).toBe(false);
    expect(isMissing(waits, { ended_since: AT }, none)).toBe(false);
    expect(isMissing(failed, { ended_since: AT }, none)).toBe(true);
  });
});

test("an event that is not understood is no change", () => {
  expect(readChange("hello", "")).toBeNull();
  expect(readChange("run.ended", "{")).toBeNull();
  expect(readChange("reset", "")).toMatchObject({ kind: "reset", namespace: null });
});

test("a run with shards that goes on has no start of its own made up", () => {
  const goes = { id: run.id, state: "RUNNING", shown: "RUNNING", attempt: 0, node: null, at: AT };
  const going = patched(run, change("run.started", goes));
  expect(going).toMatchObject({ state: "RUNNING", started_at: null });
  const ended = patched(going, change("run.ended", { id: run.id, state: "SUCCEEDED", at: "later" }));
  expect(ended).toMatchObject({ state: "SUCCEEDED", duration_s: null });
});
