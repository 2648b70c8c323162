import { expect, test } from "vitest";
import { instantWritten } from "./day.ts";
import { lastNight, sinceOf, written } from "./range.ts";

const ZONE = "Asia/Shanghai"; // eight hours ahead

test.each([
  ["in the morning", "2026-11-19T01:30:00Z", "2026-11-19T00:00:00.000Z"],
  ["in the evening", "2026-11-19T12:00:00Z", "2026-11-19T00:00:00.000Z"],
  ["while it is not over", "2026-11-18T20:00:00Z", "2026-11-18T20:00:00.000Z"],
])("last night, seen %s", (_, now, until) => {
  expect(lastNight(Date.parse(now), ZONE)).toEqual({ since: "2026-11-18T10:00:00.000Z", until });
});

test("a span up to now begins at a whole minute, and what is no span has no beginning", () => {
  const now = Date.parse("2026-11-19T12:34:56Z");
  expect(sinceOf("24h", now)).toBe("2026-11-18T12:34:00.000Z");
  expect([sinceOf("2w", now), sinceOf(undefined, now)]).toEqual([undefined, undefined]);
});

test("an instant is written as the wall clock shows it, and read back from there", () => {
  const text = written("2026-11-18T20:15:00Z", ZONE);
  expect(text).toBe("2026-11-19T04:15");
  expect(instantWritten(text, ZONE)).toBe("2026-11-18T20:15:00.000Z");
  expect([written(undefined, ZONE), written("soon", ZONE)]).toEqual(["", ""]);
});
