import { expect, test } from "vitest";
import { meantBy, namedBy } from "./chosen.ts";

const NAMES = ["daily_load", "load", "load_orders", "Settle"];

test("a name is chosen as soon as it is whole", () => {
  expect(["loa", "load", "load_"].map((text) => namedBy(text, NAMES))).toEqual([null, "load", null]);
});

test.each([
  ["load", "load"],
  ["load_", "load_orders"],
  ["sett", "Settle"],
  ["orders", "load_orders"],
  ["gone", "gone"],
])("Enter behind %s means %s", (text, name) => {
  expect(meantBy(text, NAMES)).toBe(name);
});
