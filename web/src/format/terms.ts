/// The terms of leaders out of the journal: who led from when on.
import type { EventOut } from "../api/types.ts";

export interface Term {
  number: number;
  leader: string;
  fromMs: number;
}

interface Now {
  leader: string | null;
  term: number;
}

/**
 * Oldest first, from an instant on. The journal says who was elected when; the term before its first election has
 * a number and no name, unless it is the one of now.
 */
export function termsOf(events: EventOut[], now: Now, sinceMs: number): Term[] {
  const elected = events
    .filter((event) => event.kind === "leader.elected" && typeof event.data.term === "number")
    .map((event) => ({
      number: event.data.term as number,
      leader: event.subject,
      fromMs: Math.max(sinceMs, Date.parse(event.at)),
    }))
    .sort((one, other) => one.fromMs - other.fromMs);
  const first = elected[0];
  if (first === undefined)
    return now.leader ? [{ number: now.term, leader: now.leader, fromMs: sinceMs }] : [];
  if (first.number <= 1 || first.fromMs === sinceMs) return elected;
  return [{ number: first.number - 1, leader: "?", fromMs: sinceMs }, ...elected];
}
