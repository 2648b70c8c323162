/// What stands out in the minutes ahead.
import type { MinuteAheadOut } from "../api/types.ts";

/** The minutes with the most instants, the first of equals first; none when no minute stands out. */
export function busiest(minutes: MinuteAheadOut[], most: number): MinuteAheadOut[] {
  const crowded = minutes.filter((minute) => minute.fires > 1);
  return [...crowded].sort((one, other) => other.fires - one.fires).slice(0, most);
}

/** Slots that something needs, with one digit behind the point; what needs any is never shown as none. */
export function slotsNeeded(needs: number): string {
  return Math.max(0.1, needs).toFixed(1);
}
