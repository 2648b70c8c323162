import { expect, test } from "vitest";
import {
  boundsOf,
  dayAfter,
  dayOf,
  dayWritten,
  instantOf,
  instantWritten,
  isDay,
  shareOf,
  weeksOf,
} from "./day.ts";

const HOUR = 3_600_000;

test("a day begins at midnight of its zone", () => {
  const { fromMs, toMs } = boundsOf("2026-11-16", "Asia/Shanghai");
  expect(new Date(fromMs).toISOString()).toBe("2026-11-15T16:00:00.000Z");
  expect(toMs - fromMs).toBe(24 * HOUR);
  expect(dayOf(fromMs, "Asia/Shanghai")).toBe("2026-11-16");
  expect(dayOf(fromMs - 1, "Asia/Shanghai")).toBe("2026-11-15");
});

test("days on which clocks change have 23 or 25 hours", () => {
  const length = (day: string) => {
    const { fromMs, toMs } = boundsOf(day, "Europe/Berlin");
    return (toMs - fromMs) / HOUR;
  };
  expect([length("2026-03-29"), length("2026-10-25"), length("2026-10-26")]).toEqual([23, 25, 24]);
  expect(new Date(instantOf("2026-10-25", 12, "Europe/Berlin")).toISOString()).toBe(
    "2026-10-25T11:00:00.000Z",
  );
});

test("what is written into a field is a time of the zone on the screen, also around a change of its clocks", () => {
  const at = instantWritten;
  expect(at("2031-01-02T06:00", "UTC")).toBe("2031-01-02T06:00:00.000Z");
  expect(at("2031-01-02T06:30", "Asia/Shanghai")).toBe("2031-01-01T22:30:00.000Z");
  expect(at("2026-03-29T01:59", "Europe/Berlin")).toBe("2026-03-29T00:59:00.000Z");
  expect(at("2026-03-29T03:00", "Europe/Berlin")).toBe("2026-03-29T01:00:00.000Z");
});

test("a field that is cleared, or half written, names no instant", () => {
  for (const zone of ["UTC", "Asia/Shanghai", "Europe/Berlin"]) {
    for (const day of ["", "0002-11-16", "0202-11-16", "12026-11-16", "2026-13-01", "soon"]) {
      expect(dayWritten(day, zone), day).toBeNull();
      expect(instantWritten(`${day}T06:00`, zone), day).toBeNull();
    }
    expect(instantWritten("", zone)).toBeNull();
    expect(instantWritten("2031-01-02", zone)).toBeNull();
    expect(instantWritten("2031-01-02T", zone)).toBeNull();
  }
  expect(dayWritten("2026-11-16", "Asia/Shanghai")).toBe("2026-11-15T16:00:00.000Z");
});

test("days before ours and behind it have bounds, too", () => {
  expect(boundsOf("0202-11-16", "UTC").fromMs).toBe(Date.parse("0202-11-16T00:00:00Z"));
  expect(isDay("0202-11-16")).toBe(false);
  expect(isDay("9999-12-31")).toBe(false);
});

test("an instant has its place in the day, and those outside stand at the edge", () => {
  const bounds = boundsOf("2026-11-16", "UTC");
  expect(shareOf(bounds.fromMs + 6 * HOUR, bounds)).toBe(0.25);
  expect(shareOf(bounds.fromMs - HOUR, bounds)).toBe(0);
  expect(shareOf(bounds.toMs + HOUR, bounds)).toBe(1);
});

test("days go on over the ends of months and years", () => {
  expect(dayAfter("2026-12-31", 1)).toBe("2027-01-01");
  expect(dayAfter("2028-03-01", -1)).toBe("2028-02-29");
  expect([isDay("2026-11-16"), isDay("2026-11-6"), isDay("2026-13-01"), isDay(undefined)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("weeks begin on Monday and hold every day once", () => {
  const weeks = weeksOf("2025-11-17", "2026-11-16");
  expect(weeks[0]).toEqual([
    "2025-11-17",
    "2025-11-18",
    "2025-11-19",
    "2025-11-20",
    "2025-11-21",
    "2025-11-22",
    "2025-11-23",
  ]);
  const days = weeks.flat().filter((day) => day !== null);
  expect(days.length).toBe(365);
  expect(days.at(-1)).toBe("2026-11-16");
  expect(weeks.every((week) => week.length === 7)).toBe(true);
  expect(weeksOf("2026-11-18", "2026-11-18")).toEqual([[null, null, "2026-11-18", null, null, null, null]]);
});
