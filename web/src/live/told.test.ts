import { expect, test } from "vitest";
import { ToldLines } from "./told.ts";

const id = (seconds: number, offset = 4) => `${seconds * 1_000_000}:7:1:${offset}`;

test("a line that comes again is known, a late one is not", () => {
  const told = new ToldLines();
  expect([id(100), id(101), id(100), id(99), id(101)].map((one) => told.isRepeated(one))).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(told.last, "a late line is not where to go on").toBe(id(101));
});

test("lines of long ago are forgotten", () => {
  const told = new ToldLines();
  for (let second = 1; second <= 5000; second++) told.isRepeated(id(second));
  expect(told.size).toBeLessThan(2200);
  expect(told.isRepeated(id(5000))).toBe(true);
});

test("the ids of a run without shards are places", () => {
  const told = new ToldLines();
  expect([told.isRepeated("1:40"), told.isRepeated("1:40"), told.last]).toEqual([false, false, "1:40"]);
});
