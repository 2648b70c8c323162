import { expect, test } from "vitest";
import { allToggled, stateOf, toggled } from "./selected.ts";

test("a row is chosen, and chosen no more", () => {
  const one = toggled(new Set(), "a");
  expect([...one]).toEqual(["a"]);
  expect([...toggled(one, "b")]).toEqual(["a", "b"]);
  expect([...toggled(one, "a")]).toEqual([]);
});

test("the box above chooses all rows in sight, or none", () => {
  const names = ["a", "b"];
  expect(stateOf(new Set(), names)).toBe("none");
  expect(stateOf(new Set(["b"]), names)).toBe("some");
  expect([...allToggled(new Set(["b"]), names)]).toEqual(names);
  expect([...allToggled(new Set(names), names)]).toEqual([]);
  expect(stateOf(new Set(["gone"]), names), "what left the list does not count").toBe("none");
  expect(stateOf(new Set(), [])).toBe("none");
});
