import { expect, test } from "vitest";
import { rowByKey } from "./logKeys.ts";

const SIGHT = { first: 40, last: 50 };
const every = () => true;
const key = (from: number | null, key: string, isStop: (row: number) => boolean = every) =>
  rowByKey(from, key, 100, SIGHT, isStop);

test("arrows begin where the reader looks, and other keys scroll until then", () => {
  expect(key(null, "ArrowDown")).toBe(40);
  expect(key(null, "ArrowUp")).toBe(50);
  expect(["PageUp", "PageDown", "Home", "End", "Enter"].map((one) => key(null, one))).toEqual([
    ...[null, null, null, null, null],
  ]);
});

test("keys go from row to row, a window at a time, and to the ends", () => {
  expect(key(7, "ArrowDown")).toBe(8);
  expect(key(7, "ArrowUp")).toBe(6);
  expect(key(7, "PageDown")).toBe(17);
  expect(key(7, "PageUp")).toBe(0);
  expect(key(95, "PageDown")).toBe(99);
  expect(key(7, "Home")).toBe(0);
  expect(key(7, "End")).toBe(99);
  expect(key(7, "a")).toBeNull();
});

test("at the ends they stay, and rows that nothing can be done with are passed by", () => {
  expect(key(99, "ArrowDown")).toBe(99);
  expect(key(0, "ArrowUp")).toBe(0);
  const even = (row: number) => row % 2 === 0;
  expect(key(6, "ArrowDown", even)).toBe(8);
  expect(key(6, "ArrowUp", even)).toBe(4);
  expect(key(6, "End", even)).toBe(98);
  expect(key(98, "ArrowDown", even)).toBe(98);
  expect(rowByKey(null, "ArrowDown", 0, { first: 0, last: 0 }, every)).toBeNull();
});
