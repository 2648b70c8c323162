import { expect, test } from "vitest";
import { lateOf } from "./late.ts";

test("a run is late that started more than a minute after it was due; one that waits does not say yet", () => {
  expect(lateOf([{ delay_s: 0.02 }, { delay_s: 60 }, { delay_s: 61 }, { delay_s: null }])).toBe(1);
  expect(lateOf([])).toBe(0);
});
