/// Failovers out of the journal: what failed from when to when, and when the epoch of the store rose.
import type { EventOut } from "../api/types.ts";

export interface Failure {
  /** The number of the failover; null: the epoch rose. */
  id: number | null;
  type: string;
  subject: string;
  fromMs: number;
  /** null: it goes on. */
  toMs: number | null;
}

/** The newest first. One that is over stands twice in the journal: its end says the most. */
export function failuresOf(events: readonly EventOut[]): Failure[] {
  const found = new Map<string, Failure>();
  for (const event of [...events].sort((one, other) => one.id - other.id)) {
    const failure = failureOf(event);
    if (failure !== null) found.set(failure.id === null ? `epoch ${event.id}` : String(failure.id), failure);
  }
  return [...found.values()].sort((one, other) => other.fromMs - one.fromMs);
}

export function failureOf({ at, kind, subject, data }: EventOut): Failure | null {
  const atMs = Date.parse(at);
  if (kind === "store.epoch_raised") return { id: null, type: "epoch", subject, fromMs: atMs, toMs: atMs };
  if (kind !== "failover.detected" && kind !== "failover.ended") return null;
  if (typeof data.failover !== "number" || typeof data.type !== "string") return null;
  const toMs = kind === "failover.ended" ? instantOf(data.ended_at, atMs) : null;
  return { id: data.failover, type: data.type, subject, fromMs: instantOf(data.began_at, atMs), toMs };
}

/** Servers of earlier versions noted no times: then it is that of the event. */
function instantOf(said: unknown, otherwiseMs: number): number {
  const ms = typeof said === "string" ? Date.parse(said) : Number.NaN;
  return Number.isNaN(ms) ? otherwiseMs : ms;
}
