/// Ranges of time that people filter by: up to now, last night, or from a time to another.
import { dayAfter, dayOf, instantOf } from "./day.ts";
import { spanStart } from "./figures.ts";
import { partsOf } from "./time.ts";

export const SPANS_SHOWN = ["1h", "24h", "7d"] as const;
export type SpanShown = (typeof SPANS_SHOWN)[number];

const EVENING = 18; // o'clock
const MORNING = 8;

/** From the evening before today to this morning, or up to now while that is not over. */
export function lastNight(nowMs: number, zone: string): { since: string; until: string } {
  const today = dayOf(nowMs, zone);
  const from = instantOf(dayAfter(today, -1), EVENING, zone);
  const to = Math.min(instantOf(today, MORNING, zone), nowMs);
  return { since: new Date(from).toISOString(), until: new Date(to).toISOString() };
}

/** When a span up to now begins, to the minute: a filter that moved with each moment would be read anew with each. */
export function sinceOf(span: string | undefined, nowMs: number): string | undefined {
  const known = SPANS_SHOWN.find((one) => one === span);
  return known && spanStart(known, Math.floor(nowMs / 60_000) * 60_000);
}

/** An instant as a field of day and time has it: what a wall clock in the zone shows. */
export function written(iso: string | undefined, zone: string): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return "";
  const at = partsOf(Date.parse(iso), zone);
  return `${at.year}-${at.month}-${at.day}T${at.hour}:${at.minute}`;
}
