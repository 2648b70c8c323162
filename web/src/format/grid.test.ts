import { expect, test } from "vitest";
import { dayByKey } from "./grid.ts";

const DAYS = ["2026-10-01", "2026-10-02", "2026-10-09", "2026-11-02"];

test("arrows go a day or a week on, to the next day that has something to show", () => {
  expect(dayByKey(DAYS, "2026-10-01", "ArrowDown")).toBe("2026-10-02");
  expect(dayByKey(DAYS, "2026-10-02", "ArrowDown")).toBe("2026-10-09");
  expect(dayByKey(DAYS, "2026-10-02", "ArrowRight")).toBe("2026-10-09");
  expect(dayByKey(DAYS, "2026-10-09", "ArrowRight")).toBe("2026-11-02");
  expect(dayByKey(DAYS, "2026-11-02", "ArrowLeft")).toBe("2026-10-09");
  expect(dayByKey(DAYS, "2026-10-09", "ArrowUp")).toBe("2026-10-02");
});

test("at the edge a key leads nowhere, and other keys are not its own", () => {
  expect(dayByKey(DAYS, "2026-11-02", "ArrowDown")).toBe(null);
  expect(dayByKey(DAYS, "2026-10-01", "ArrowLeft")).toBe(null);
  expect(dayByKey(DAYS, "2026-10-09", "Home")).toBe("2026-10-01");
  expect(dayByKey(DAYS, "2026-10-09", "End")).toBe("2026-11-02");
  expect(dayByKey(DAYS, "2026-10-09", "j")).toBe(null);
  expect(dayByKey([], "2026-10-09", "End")).toBe(null);
});
