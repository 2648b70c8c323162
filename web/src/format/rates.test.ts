import { expect, test } from "vitest";
import type { LoadPointOut } from "../api/types.ts";
import { perSecond, rateText } from "./rates.ts";

const point = (start: string, scheduled: number) => ({ start, scheduled }) as LoadPointOut;

test("fires of each step are told per second, those of the step that goes on by what has passed of it", () => {
  const found = {
    step: "minute" as const,
    load_points: [point("2026-11-19T14:00:00Z", 120), point("2026-11-19T14:01:00Z", 60)],
  };
  const now = Date.parse("2026-11-19T14:01:30Z");
  expect(perSecond(found, "scheduled", now).map(({ value }) => value)).toEqual([2, 2]);
});

test("a step that has just begun says nothing yet", () => {
  const found = { step: "hour" as const, load_points: [point("2026-11-19T14:00:00Z", 1)] };
  expect(perSecond(found, "scheduled", Date.parse("2026-11-19T14:00:00.200Z"))[0]?.value).toBeNull();
});

test.each([
  [52.4, "52/s"],
  [1.26, "1.3/s"],
  [0.187, "0.19/s"],
  [0.004, "<0.01/s"],
  [0, "0/s"],
])("%d is %s", (value, text) => {
  expect(rateText(value)).toBe(text);
});
