/// Runs of a list that wait: which they are, and which are asked about together.
import type { RunOut } from "../api/types.ts";

/** So many runs are explained in one request. */
export const EXPLAINED_MAX = 50;

/** Whether a run waits: for its start, for its end after a cancel, or for another system. */
export function isWaiting(run: Pick<RunOut, "state" | "shown" | "waits">): boolean {
  return run.state === "PENDING" || run.shown === "CANCELLING" || Boolean(run.waits);
}

/** The stretch of the list that one run is asked about with: a second look at a neighbour asks for nothing. */
export function askedWith(id: string, waiting: readonly string[], most = EXPLAINED_MAX): string[] {
  const place = waiting.indexOf(id);
  if (place < 0) return [id];
  const first = Math.floor(place / most) * most;
  return waiting.slice(first, first + most);
}
