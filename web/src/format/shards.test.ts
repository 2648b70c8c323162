import { expect, test } from "vitest";
import { standsForShards, type Told } from "./shards.ts";

const RUN: Told = { state: "PENDING", kind: null, attempt: 0, open_shards: 0, parent: null };

test.each<[string, Partial<Told>, "yes" | "no" | "maybe"]>([
  ["waits", {}, "no"],
  ["waits, with shards", { open_shards: 3 }, "yes"],
  ["executes on a worker", { state: "RUNNING", attempt: 1 }, "no"],
  ["goes on without a worker of its own", { state: "RUNNING", open_shards: 3 }, "yes"],
  ["succeeded", { state: "SUCCEEDED" }, "yes"],
  ["failed", { state: "FAILED", kind: "error" }, "yes"],
  ["was refused", { state: "FAILED", kind: "rejected" }, "no"],
  ["is cancelled after an attempt", { state: "CANCELLED", attempt: 1 }, "no"],
  ["is cancelled, its shards or its wait with it", { state: "CANCELLED" }, "maybe"],
  ["is cancelled as a shard", { state: "CANCELLED", parent: "r-1" }, "no"],
])("a run that %s", (_, told, wanted) => {
  expect(standsForShards({ ...RUN, ...told })).toBe(wanted);
});
