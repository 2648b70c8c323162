import { expect, test } from "vitest";
import { barOf, spanOf } from "./gantt.ts";

const at = (second: number) => new Date(second * 1000).toISOString();
const shard = (id: string, from: number | null, to: number | null) => ({
  id,
  started_at: from === null ? null : at(from),
  ended_at: to === null ? null : at(to),
});
const NOW = 20_000;

test("bars lie between the first start and the last end, and what runs lasts until now", () => {
  const shards = [shard("a", 10, 15), shard("b", 15, null), shard("c", null, null)];
  const span = spanOf(shards, NOW);
  expect(span).toEqual({ fromMs: 10_000, toMs: 20_000 });
  expect(shards.map((one) => barOf(one, span, NOW))).toEqual([
    { left: 0, width: 50 },
    { left: 50, width: 50 },
    null,
  ]);
});

test("a shard that took no time is still seen, inside of its track", () => {
  const span = { fromMs: 10_000, toMs: 20_000 };
  expect(barOf(shard("a", 20, 20), span, NOW)).toEqual({ left: 99.5, width: 0.5 });
});
