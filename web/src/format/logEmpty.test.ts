import { expect, test } from "vitest";
import { type EmptyWord, emptyWord, type Told } from "./logEmpty.ts";

const RUN: Told = { state: "PENDING", attempt: 0, node: null };
const PLAIN = { hasShards: false, isFiltered: false };

test.each<[string, Partial<Told>, Partial<typeof PLAIN>, EmptyWord]>([
  ["no worker has", {}, {}, "log.empty_waiting"],
  ["waits for its next attempt", { attempt: 1 }, {}, "log.empty_again"],
  ["executes on a worker", { state: "RUNNING", attempt: 1, node: "w-1" }, {}, "log.empty_on"],
  ["executes as shards", { state: "RUNNING" }, { hasShards: true }, "log.empty"],
  ["has shards that wait", {}, { hasShards: true }, "log.empty_waiting"],
  ["is over", { state: "SUCCEEDED", attempt: 1 }, {}, "log.empty_over"],
  ["is over with its shards", { state: "CANCELLED" }, { hasShards: true }, "log.empty_over"],
  ["was cancelled before it began", { state: "CANCELLED" }, {}, "log.empty_never"],
  [
    "has lines that the filter leaves out",
    { state: "FAILED", attempt: 1 },
    { isFiltered: true },
    "log.empty_filtered",
  ],
])("an empty log of a run that %s", (_, told, more, wanted) => {
  expect(emptyWord({ ...RUN, ...told }, { ...PLAIN, ...more })).toBe(wanted);
});
