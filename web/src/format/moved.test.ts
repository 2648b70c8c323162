import { expect, test } from "vitest";
import { movedOf } from "./moved.ts";

test("a move says both workers, each with its score", () => {
  expect(movedOf({ from: "w-1", to: "w-2", score_from: 0.5, score_to: 0.387 })).toBe(
    "w-1 (0.50) → w-2 (0.39)",
  );
});

test("a worker that drained or fell silent has no score", () => {
  expect(movedOf({ from: "w-1", to: "w-2", score_to: 1 })).toBe("w-1 → w-2 (1.00)");
});

test("what does not say where to says nothing", () => {
  expect(movedOf({ to: "w-2" })).toBe("→ w-2");
  expect(movedOf({})).toBeNull();
  expect(movedOf({ from: "w-1", to: 7 })).toBeNull();
});
