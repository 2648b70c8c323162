import { expect, test } from "vitest";
import { AT_ONCE, howAsked, isSpecial } from "./trigger.ts";

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

test("a reason alone is nothing special", () => {
  expect(isSpecial({ ...AT_ONCE, reason: "again" })).toBe(false);
  expect(isSpecial({ ...AT_ONCE, isBeside: true })).toBe(true);
});
