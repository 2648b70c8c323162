/// What a change on the stream means for what is on the screen. Pure: the same change, the same effects.
import type { RunOut } from "../api/types.ts";

export interface Change {
  kind: string;
  subject: string;
  namespace: string | null;
  data: Record<string, unknown>;
}

/** Which lists and pages are no longer as they were read. */
export type Stale =
  | { what: "everything" }
  | { what: "overview" | "jobs" | "runs" | "cluster" }
  | { what: "job"; namespace: string; name: string }
  | { what: "run"; id: string };

export function staleBy(change: Change): Stale[] {
  if (change.kind === "reset") return [{ what: "everything" }];
  const topic = change.kind.split(".")[0];
  if (topic === "run") return staleByRun(change);
  if (topic === "job" || topic === "backfill" || topic === "calendar") {
    return [{ what: "overview" }, { what: "jobs" }, ...jobOf(change, change.subject)];
  }
  return [{ what: "overview" }, { what: "cluster" }];
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
  const next: RunOut = { ...run, state, shown: state };
  if (typeof change.data.attempt === "number") next.attempt = change.data.attempt;
  next.node = text(change.data.node) ?? run.node;
  next.kind = (text(change.data.kind) as RunOut["kind"]) ?? run.kind;
  if (state === "RUNNING") next.started_at = run.started_at ?? at;
  if (isOver(state)) {
    next.ended_at = at;
    next.duration_s = secondsBetween(next.started_at, at);
  }
  return next;
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
