import { expect, test } from "vitest";
import type { RunOut } from "../api/types.ts";
import { askedWith, EXPLAINED_MAX, isWaiting } from "./waiting.ts";

const run = (fields: Partial<RunOut>) =>
  ({ state: "RUNNING", shown: "RUNNING", waits: null, ...fields }) as RunOut;

test("a run waits for its start, for its end after a cancel, or for another system", () => {
  expect(isWaiting(run({ state: "PENDING", shown: "HELD" }))).toBe(true);
  expect(isWaiting(run({ shown: "CANCELLING" }))).toBe(true);
  expect(isWaiting(run({ waits: { what: "callback", since: "2026-11-16T06:00:00Z" } }))).toBe(true);
  expect(isWaiting(run({}))).toBe(false);
  expect(isWaiting(run({ state: "SUCCEEDED", shown: "SUCCEEDED" }))).toBe(false);
});

test("runs of a page are asked about together, and no more than the server explains at a time", () => {
  const ids = Array.from({ length: 120 }, (_, index) => `r-${index}`);
  expect(askedWith("r-3", ids.slice(0, 9))).toEqual(ids.slice(0, 9));
  expect(askedWith("r-60", ids)).toEqual(ids.slice(50, 100));
  expect(askedWith("r-119", ids)).toEqual(ids.slice(100));
  expect(askedWith("r-60", ids).length).toBe(EXPLAINED_MAX);
  expect(askedWith("gone", ids)).toEqual(["gone"]);
});
