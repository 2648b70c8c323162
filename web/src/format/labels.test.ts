import { expect, test } from "vitest";
import { callOf, isWanted, labelsOf, nodeCalled } from "./labels.ts";

const east = { zone: "cn-east", gpu: "yes" };
const west = { zone: "cn-west" };

test("a node is found by one label, by several, by a label's name alone; nothing wanted finds all", () => {
  const found = (wanted: string) =>
    [east, west].filter((labels) => isWanted({ name: "w-7", labels }, wanted));
  expect(found("zone=cn-east")).toEqual([east]);
  expect(found(" zone = cn-east , gpu=yes ")).toEqual([east]);
  expect(found("zone=cn-west, gpu")).toEqual([]);
  expect(found("zo")).toEqual([east, west]);
  expect(found("gpu")).toEqual([east]);
  expect(found("zone=cn")).toEqual([]);
  expect(found(" , ")).toEqual([east, west]);
  expect(found("toString=")).toEqual([]);
});

test("the labels of all nodes are offered once", () => {
  expect(labelsOf([{ labels: east }, { labels: west }, { labels: east }])).toEqual([
    "gpu=yes",
    "zone=cn-east",
    "zone=cn-west",
  ]);
});

test("a node is found by a piece of its name, beside a label", () => {
  const fits = (wanted: string) => isWanted({ name: "worker-7", labels: east }, wanted);
  expect(fits("ker-7")).toBe(true);
  expect(fits("worker, zone=cn-east")).toBe(true);
  expect(fits("worker-8")).toBe(false);
});

test("an address calls a node by its name, which is that of the living session, or by the id of a session", () => {
  const node = (id: string, name: string, ended_at: string | null = null) => ({
    id,
    name,
    ended_at,
    labels: {},
  });
  const nodes = [node("n-1", "w-1", "2026-11-16T06:00:00Z"), node("n-2", "w-1"), node("n-3", "w-2")];
  expect(nodeCalled(nodes, "w-1")?.id).toBe("n-2");
  expect(nodeCalled(nodes, "n-1")?.id).toBe("n-1");
  expect(nodeCalled(nodes, "w-3")).toBeUndefined();
  expect(nodes.map((one) => callOf(one, nodes))).toEqual(["n-1", "n-2", "w-2"]);
});
