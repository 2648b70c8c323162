import { expect, test } from "vitest";
import {
  fromParts,
  isRate,
  isWhole,
  partsOf,
  readCounts,
  readLabels,
  readWishes,
  saysAt,
  writeCounts,
  writeLabels,
  writeWishes,
} from "./place.ts";

test("labels are written on one line, and read back", () => {
  expect(readLabels(" gpu=yes ,zone = cn-east, ")).toEqual({ gpu: "yes", zone: "cn-east" });
  expect(readLabels("path=a=b")).toEqual({ path: "a=b" });
  expect(readLabels("empty=")).toEqual({ empty: "" });
  expect(readLabels(" , ")).toBeUndefined();
  for (const wrong of ["gpu", "=yes", "gpu=yes, gpu=no"]) expect(readLabels(wrong), wrong).toBeNull();
  expect(writeLabels({ gpu: "yes", zone: "cn" })).toBe("gpu=yes, zone=cn");
  expect(writeLabels(undefined)).toBe("");
});

test("labels that one line cannot say stand in the YAML alone", () => {
  for (const odd of [{ a: "x,y" }, { a: " x" }, { a: 1 }, ["a"], "a"]) expect(writeLabels(odd)).toBeNull();
  expect(writeWishes({ a: { value: "x", weight: 2, more: 1 } })).toBeNull();
});

test("wishes have weights", () => {
  const wishes = { disk: { value: "ssd", weight: 5 }, zone: "cn" };
  expect(readWishes("disk=ssd*5, zone=cn")).toEqual(wishes);
  expect(writeWishes(wishes)).toBe("disk=ssd*5, zone=cn");
  expect(writeWishes({ zone: "2*3" }), "it would be read as a weight").toBeNull();
  expect(readWishes("disk")).toBeNull();
  expect(readWishes("")).toBeUndefined();
});

test("named limits are numbers on one line", () => {
  const counts = { "settle-db": 4, gateway: 2 };
  expect(readCounts("settle-db=4, gateway=2")).toEqual(counts);
  expect(writeCounts(counts)).toBe("settle-db=4, gateway=2");
  expect(readCounts("")).toBeUndefined();
  for (const wrong of ["settle-db", "settle-db=0", "settle-db=many", "a=1, a=2"])
    expect(readCounts(wrong), wrong).toBeNull();
  for (const odd of [{ a: "4" }, { a: 0.5 }, { "a,b": 1 }, [1]]) expect(writeCounts(odd)).toBeNull();
});

test("a field with a short form has parts, and is written as short as it can be", () => {
  const names = ["at_most", "by"];
  expect(partsOf("10s", "quiet", names)).toEqual({ quiet: "10s" });
  expect(partsOf({ quiet: "10s", by: "customer" }, "quiet", names)).toEqual({ quiet: "10s", by: "customer" });
  expect(partsOf(undefined, "quiet", names)).toEqual({});
  expect(partsOf({ quiet: "10s", other: "x" }, "quiet", names)).toBeNull();
  expect(partsOf({ quiet: ["10s"] }, "quiet", names)).toBeNull();
  expect(fromParts({ quiet: "10s", by: "" }, "quiet")).toBe("10s");
  expect(fromParts({ quiet: "10s", by: "customer" }, "quiet")).toEqual({ quiet: "10s", by: "customer" });
  expect(fromParts({ quiet: "", by: "customer" }, "quiet")).toEqual({ by: "customer" });
  expect(fromParts({ quiet: "" }, "quiet")).toBeUndefined();
});

test("a rate and a limit are told from other texts", () => {
  expect(["1/10s", "500/1h"].every(isRate)).toBe(true);
  expect(["10s", "0/10s", "1/", "x/10s"].some(isRate)).toBe(false);
  expect([1, 10_000].every((value) => isWhole(value, 10_000))).toBe(true);
  expect([0, 10_001, 1.5, "many"].some((value) => isWhole(value, 10_000))).toBe(false);
});

test("what the server says stands at its field", () => {
  const errors = [
    { path: "place.require.gpu", message: "one" },
    { path: "debounce", message: "two" },
    { path: "debounce.by", message: "three" },
  ];
  expect(saysAt(errors, "place.require")).toBe("one");
  expect(saysAt(errors, "place.requires")).toBeUndefined();
  expect(saysAt(errors, "debounce", true)).toBe("two");
  expect(saysAt(errors, "debounce")).toBe("two three");
});
