import { describe, expect, test } from "vitest";
import { CHINESE_UNITS, clockTime, count, duration, exactTime, percent, secondsUntil } from "./time.ts";

describe("a duration", () => {
  test.each([
    [0, "0 s"],
    [0.0004, "1 ms"],
    [0.021, "21 ms"],
    [5.04, "5 s"],
    [9.96, "10 s"],
    [42, "42 s"],
    [59.6, "1 m"],
    [134, "2 m 14 s"],
    [3600, "1 h"],
    [42_900, "11 h 55 m"],
    [273_600, "3 d 4 h"],
    [-134, "2 m 14 s"],
  ])("of %d seconds is said in at most two parts: %s", (seconds, said) => {
    expect(duration(seconds)).toBe(said);
  });

  test("is said in Chinese units, too", () => {
    expect(duration(134, CHINESE_UNITS)).toBe("2 分 14 秒");
  });
});

describe("an instant", () => {
  const now = Date.parse("2026-11-16T06:00:00Z");

  test("of today is a time of day, in the zone that was chosen", () => {
    expect(clockTime("2026-11-16T06:02:20Z", "UTC", now)).toBe("06:02:20");
    expect(clockTime("2026-11-16T06:02:20Z", "Asia/Shanghai", now)).toBe("14:02:20");
  });

  test("of another day says the day of that zone", () => {
    expect(clockTime("2026-11-16T18:00:00Z", "Asia/Shanghai", now)).toBe("11-17 02:00:00");
    expect(clockTime("2025-12-31T23:30:00Z", "UTC", now)).toBe("2025-12-31 23:30:00");
  });

  test("is right on both sides of a change of the clocks", () => {
    const night = Date.parse("2026-10-25T00:00:00Z");
    expect(clockTime("2026-10-25T00:30:00Z", "Europe/Berlin", night)).toBe("02:30:00");
    expect(clockTime("2026-10-25T01:30:00Z", "Europe/Berlin", night)).toBe("02:30:00");
    expect(clockTime("2026-10-25T02:30:00Z", "Europe/Berlin", night)).toBe("03:30:00");
  });

  test("at midnight is hour 00, not 24", () => {
    expect(clockTime("2026-11-16T00:00:00Z", "UTC", now)).toBe("00:00:00");
  });

  test("is copied whole, with its milliseconds and its zone", () => {
    expect(exactTime("2026-11-16T06:02:20.021Z", "Asia/Shanghai")).toBe(
      "2026-11-16 14:02:20.021 Asia/Shanghai",
    );
  });

  test("of the past is negative", () => {
    expect(secondsUntil("2026-11-16T05:59:00Z", now)).toBe(-60);
  });
});

test("thousands stand apart", () => {
  expect(count(48_210)).toBe("48\u202f210");
  expect(count(1_000_000)).toBe("1\u202f000\u202f000");
});

test("a share is 100 % only when nothing is missing", () => {
  expect(percent(1)).toBe("100 %");
  expect(percent(0.9999)).toBe("99.9 %");
  expect(percent(0.984)).toBe("98.4 %");
});

test("a zone with odd minutes and one beyond the date line show their own day", () => {
  const now = Date.parse("2026-11-16T06:00:00Z");
  expect(clockTime("2026-11-16T18:30:00Z", "Asia/Kathmandu", now)).toBe("11-17 00:15:00");
  expect(clockTime("2026-11-16T10:00:00Z", "Pacific/Kiritimati", now)).toBe("11-17 00:00:00");
});

test("a fraction of a second is copied in milliseconds, however many digits it has", () => {
  expect(exactTime("2026-11-16T06:02:20.5Z", "UTC")).toBe("2026-11-16 06:02:20.500 UTC");
  expect(exactTime("2026-11-16T06:02:20.123456Z", "UTC")).toBe("2026-11-16 06:02:20.123 UTC");
  expect(exactTime("2026-11-16T06:02:20Z", "UTC")).toBe("2026-11-16 06:02:20 UTC");
});
