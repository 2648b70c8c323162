import { expect, test } from "vitest";
import { allPages, asLines, type ReadPage } from "./allPages.ts";

const PAGES: Record<string, { items: number[]; next_cursor: string | null }> = {
  "": { items: [1, 2], next_cursor: "b" },
  b: { items: [3, 4], next_cursor: "c" },
  c: { items: [5], next_cursor: null },
};
const read: ReadPage<number> = async (cursor) => PAGES[cursor] ?? { items: [], next_cursor: null };

test("a list is read to its end, and each page is told", async () => {
  const counts: number[] = [];
  const { signal } = new AbortController();
  const found = await allPages(read, { max: 10, told: (count) => counts.push(count), signal });
  expect(found).toEqual({ items: [1, 2, 3, 4, 5], isCut: false });
  expect(counts).toEqual([2, 4, 5]);
});

test("more than the bound is cut, and says so", async () => {
  const { signal } = new AbortController();
  const found = await allPages(read, { max: 3, told: () => undefined, signal });
  expect(found).toEqual({ items: [1, 2, 3], isCut: true });
});

test("who stops it gets nothing more", async () => {
  const stop = new AbortController();
  const reading = allPages(read, { max: 10, told: () => stop.abort(), signal: stop.signal });
  await expect(reading).rejects.toThrow();
});

test("a line is one object", () => {
  expect(asLines([{ a: "x\ny" }, 2])).toBe('{"a":"x\\ny"}\n2\n');
});
