import { expect, test } from "vitest";
import { placedAs, readPlaced } from "./placed.ts";

test("a job is written with its namespace unless it is at home, and read back", () => {
  const settle = { name: "settle", namespace: "billing" };
  expect(placedAs(settle, "default")).toBe("billing / settle");
  expect(placedAs(settle, "billing")).toBe("settle");
  for (const home of ["default", "billing"]) expect(readPlaced(placedAs(settle, home), home)).toEqual(settle);
  expect(readPlaced("", "default")).toEqual({ name: "", namespace: "default" });
});
