import { expect, test } from "vitest";
import { AT_ONCE, howAsked, isAtOnce, isSpecial, isTimed } from "./trigger.ts";

test("a trigger says only what was written", () => {
  expect(howAsked(AT_ONCE, "UTC")).toEqual({});
  const how = {
    ...AT_ONCE,
    at: "2031-01-02T06:00",
    priority: "9",
    key: "k-1",
    isBeside: true,
    reason: "again",
  };
  expect(howAsked(how, "Asia/Shanghai")).toEqual({
    at: "2031-01-01T22:00:00.000Z",
    overlap: "allow",
    priority: 9,
    key: "k-1",
    reason: "again",
  });
  expect(howAsked({ ...AT_ONCE, delay: "10m" }, "UTC")).toEqual({ delay: "10m" });
});

test("a time that is half written is none, and a trigger with it cannot be meant", () => {
  const how = { ...AT_ONCE, at: "0002-01-02T06:00" };
  expect(howAsked(how, "UTC")).toEqual({});
  expect(isTimed(how, "UTC")).toBe(false);
  expect(isTimed(AT_ONCE, "UTC")).toBe(true);
  expect(isTimed({ ...how, at: "2031-01-02T06:00" }, "UTC")).toBe(true);
});

test("a reason alone is nothing special", () => {
  expect(isSpecial({ ...AT_ONCE, reason: "again" })).toBe(false);
  expect(isSpecial({ ...AT_ONCE, isBeside: true })).toBe(true);
});

test("a run that waits for the quiet time of a debounce does not start at once", () => {
  const created_at = "2031-01-02T06:00:00Z";
  expect(isAtOnce({ created_at, not_before: "2031-01-02T06:00:00.400Z" })).toBe(true);
  expect(isAtOnce({ created_at, not_before: "2031-01-02T06:00:10Z" })).toBe(false);
});
