import { expect, test } from "vitest";
import type { MinuteAheadOut } from "../api/types.ts";
import { busiest, slotsNeeded } from "./crowd.ts";

function minute(at: string, fires: number): MinuteAheadOut {
  return { at, fires, jobs: [], slots: 0 };
}

test("what needs any slots is never shown as none", () => {
  expect([0.001, 0.44, 12.25].map(slotsNeeded)).toEqual(["0.1", "0.4", "12.3"]);
});

test("the busiest minutes come first, and a lone instant is no crowd", () => {
  const minutes = [minute("01", 1), minute("02", 5), minute("03", 9), minute("04", 5)];
  expect(busiest(minutes, 3).map((one) => one.at)).toEqual(["03", "02", "04"]);
});
