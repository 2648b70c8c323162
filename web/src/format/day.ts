/// Days in a time zone: where they begin and end, and where an instant stands in them.
import { partsOf } from "./time.ts";

const DAY_MS = 86_400_000;

/** The day of an instant in a zone: `2026-11-16`. */
export function dayOf(ms: number, zone: string): string {
  const at = partsOf(ms, zone);
  return `${at.year}-${at.month}-${at.day}`;
}

/** Some days later, or earlier: days of the calendar, whatever the clocks do. */
export function dayAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** When a wall clock in the zone shows this hour of this day. In a gap: the instant behind it. */
export function instantOf(day: string, hour: number, zone: string): number {
  const shown = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000;
  let at = shown;
  // The offset at the guess leads to a better guess; twice is enough for any zone.
  for (let turn = 0; turn < 2; turn++) at += shown - shownBy(at, zone);
  return at;
}

/**
 * The instant that a field of day and time (`2031-01-02T06:00`) names on a wall clock in the zone, as it is sent. Null
 * while it names none: fields are cleared, and a year is written digit by digit.
 */
export function instantWritten(written: string, zone: string): string | null {
  const [day = "", time = ""] = written.split("T");
  if (!isDay(day) || !/^\d\d:\d\d/.test(time)) return null;
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return new Date(instantOf(day, hours + minutes / 60, zone)).toISOString();
}

/** When the day that a field names begins in the zone, as it is sent; null while it names none. */
export function dayWritten(written: string, zone: string): string | null {
  return isDay(written) ? new Date(boundsOf(written, zone).fromMs).toISOString() : null;
}

/** What a wall clock in the zone shows, as if it were UTC. */
function shownBy(ms: number, zone: string): number {
  const at = partsOf(ms, zone);
  const year = (at.year ?? "").padStart(4, "0"); // a year of fewer digits is no date to the browser
  return Date.parse(`${year}-${at.month}-${at.day}T${at.hour}:${at.minute}:${at.second}Z`);
}

export interface DayBounds {
  fromMs: number;
  toMs: number;
}

export function boundsOf(day: string, zone: string): DayBounds {
  return { fromMs: instantOf(day, 0, zone), toMs: instantOf(dayAfter(day, 1), 0, zone) };
}

/** Where an instant stands in the day, from 0 to 1. */
export function shareOf(ms: number, { fromMs, toMs }: DayBounds): number {
  return Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
}

/** Whether it is a day of our time. A year that is half written, `0002`, is a year as well, but nobody means it. */
export function isDay(text: string | undefined): text is string {
  return (
    text !== undefined && /^2\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  );
}

/** Weeks of a stretch of days, each from Monday to Sunday; places outside of it are null. */
export function weeksOf(first: string, last: string): (string | null)[][] {
  const weekday = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const count = Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS) + 1;
  const places = Array.from({ length: Math.ceil((weekday + count) / 7) * 7 }, (_, index) => {
    const number = index - weekday;
    return number < 0 || number >= count ? null : dayAfter(first, number);
  });
  const weeks: (string | null)[][] = [];
  for (let begin = 0; begin < places.length; begin += 7) weeks.push(places.slice(begin, begin + 7));
  return weeks;
}
