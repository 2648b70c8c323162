import { describe, expect, test } from "vitest";
import type { RunOut } from "../api/types.ts";
import { type Change, patched, readChange, staleBy } from "./changes.ts";

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
    expect(staleBy(change("reset"))).toEqual([{ what: "everything" }]);
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

test("an event that is not understood is no change", () => {
  expect(readChange("hello", "")).toBeNull();
  expect(readChange("run.ended", "{")).toBeNull();
  expect(readChange("reset", "")).toMatchObject({ kind: "reset", namespace: null });
});
