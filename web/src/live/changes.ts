/// What a change on the stream means for what is on the screen. Pure: the same change, the same effects.
import type { JobOut, RunOut } from "../api/types.ts";

export interface Change {
  kind: string;
  subject: string;
  namespace: string | null;
  data: Record<string, unknown>;
}

/** What this browser tells itself: everything may have changed; the server answers again. */
export const RESET: Change = { kind: "reset", subject: "", namespace: null, data: {} };
export const BACK: Change = { kind: "back", subject: "", namespace: null, data: {} };

type Listed =
  | "overview"
  | "jobs"
  | "cluster"
  | "journal"
  | "calendars"
  | "backfills"
  | "tokens"
  | "locks"
  | "limits"
  | "alerts"
  | "checks"
  | "reports";

/** Which lists and pages are no longer as they were read; `failures`: those that could not be read. */
export type Stale =
  | { what: "everything" | "failures" }
  | { what: Listed }
  | { what: "job"; namespace: string; name: string }
  | { what: "run"; id: string };

export function staleBy(change: Change): Stale[] {
  if (change.kind === "reset") return [{ what: "everything" }];
  if (change.kind === "back") return [{ what: "failures" }];
  if (isOfEveryRun(change)) return staleByRun(change);
  const noted: Stale[] = [{ what: "overview" }, { what: "journal" }];
  const topic = change.kind.split(".")[0] ?? "";
  if (topic === "run") return [...noted, ...staleByRun(change)];
  if (topic === "job" || topic === "backfill" || topic === "calendar") {
    noted.push({ what: "jobs" }, ...jobOf(change, change.subject));
  }
  // A check that was not heard of in time is down without a change of its own: its alert tells.
  if (topic === "alert") noted.push({ what: "checks" });
  return [...noted, { what: LISTS[topic] ?? "cluster" }];
}

/** The list of what a topic is about, where it is not the cluster's. */
const LISTS: Partial<Record<string, Listed>> = {
  job: "jobs",
  backfill: "backfills",
  calendar: "calendars",
  token: "tokens",
  lock: "locks",
  limit: "limits",
  alert: "alerts",
  rule: "alerts",
  channel: "alerts",
  silence: "alerts",
  check: "checks",
  report_schedule: "reports",
};

const EVERY_RUN = new Set(["run.created", "run.waiting", "run.started", "run.changed", "run.ended"]);

/** Runs start and end by the thousand; all else is rare, mostly somebody's doing, and in the journal. */
export function isOfEveryRun(change: Change): boolean {
  return EVERY_RUN.has(change.kind);
}

function staleByRun(change: Change): Stale[] {
  const id = text(change.data.id) ?? change.subject;
  const job = text(change.data.job);
  const found: Stale[] = [{ what: "overview" }, { what: "jobs" }, { what: "run", id }];
  return job === undefined ? found : [...found, ...jobOf(change, job)];
}

function jobOf(change: Change, name: string): Stale[] {
  return change.namespace === null ? [] : [{ what: "job", namespace: change.namespace, name }];
}

/** The run as the change leaves it; the same object when the change is not newer or not about it. */
export function patched(run: RunOut, change: Change): RunOut {
  if (change.data.id !== run.id || !change.kind.startsWith("run.")) return run;
  const state = text(change.data.state) as RunOut["state"] | undefined;
  if (state === undefined || isOlder(run, state)) return run;
  const at = text(change.data.at) ?? null;
  const next: RunOut = { ...run, state, shown: shownBy(run, change, state) };
  if (typeof change.data.attempt === "number") next.attempt = change.data.attempt;
  next.node = text(change.data.node) ?? run.node;
  next.kind = (text(change.data.kind) as RunOut["kind"]) ?? run.kind;
  // A run with shards is told of with each of them, and starts on no node: the moment is not that of a start.
  const isStart = change.kind === "run.started" && typeof change.data.node === "string";
  if (isStart) next.started_at = run.started_at ?? at;
  if (isOver(state)) {
    next.ended_at = at;
    next.duration_s = secondsBetween(next.started_at, at);
  }
  return next;
}

/** What people see of the state. What holds a run is no part of its row: one that waited held goes on so until it is read. */
function shownBy(run: RunOut, change: Change, state: RunOut["state"]): RunOut["shown"] {
  const told = (text(change.data.shown) as RunOut["shown"] | undefined) ?? state;
  return state === "PENDING" && run.shown === "HELD" ? "HELD" : told;
}

/** The job as a pause or a resume leaves it; the same object when the change is another, or not about it. */
export function patchedJob(job: JobOut, change: Change): JobOut {
  if (change.subject !== job.name || change.namespace !== job.namespace) return job;
  const { data } = change;
  if (change.kind === "job.paused" && job.state === "ACTIVE") {
    return {
      ...job,
      state: "PAUSED",
      paused_at: text(data.at) ?? null,
      paused_by: text(data.by) ?? null,
      paused_until: text(data.until) ?? null,
      pause_reason: text(data.reason) ?? "",
    };
  }
  if (change.kind !== "job.resumed" || job.state !== "PAUSED") return job;
  return { ...job, state: "ACTIVE", paused_at: null, paused_by: null, paused_until: null, pause_reason: "" };
}

interface RunFilter {
  job?: string | undefined;
  namespace?: string | undefined;
  state?: string | undefined;
  node?: string | undefined;
  until?: string | undefined;
  ended_since?: string | undefined;
  ended_until?: string | undefined;
}

/** Whether a list of runs with this filter lacks the run that changed. */
export function isMissing(change: Change, wanted: RunFilter, shown: ReadonlySet<string>): boolean {
  const { id, job, state } = change.data;
  if (!isOfEveryRun(change) || typeof id !== "string" || shown.has(id)) return false;
  if (wanted.until || wanted.ended_until) return false; // a range of the past gets no new runs
  if (wanted.ended_since && !isOver(String(state))) return false;
  if (wanted.job && wanted.job !== job) return false;
  if (wanted.namespace && wanted.namespace !== change.namespace) return false;
  if (wanted.node && wanted.node !== change.data.node) return false;
  if (!wanted.state || wanted.state === state || wanted.state === change.data.shown) return true;
  return wanted.state === "HELD" && state === "PENDING"; // what holds a run is not told with it
}

export function isOver(state: string): boolean {
  return state === "SUCCEEDED" || state === "FAILED" || state === "CANCELLED";
}

/** A run that is over stays over: a change that says otherwise was sent twice. */
function isOlder(run: RunOut, state: string): boolean {
  return isOver(run.state) && !isOver(state);
}

function secondsBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A change from the data of an event; null for one that is not understood. */
export function readChange(name: string, data: string): Change | null {
  if (name === "hello" || name === "message") return null;
  try {
    const found = JSON.parse(data || "{}") as Record<string, unknown>;
    const namespace = typeof found.namespace === "string" ? found.namespace : null;
    return { kind: name, subject: text(found.subject) ?? "", namespace, data: found };
  } catch {
    return null;
  }
}
