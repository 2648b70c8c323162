import { expect, test } from "vitest";
import { hasLabels, labelsOf } from "./labels.ts";

const east = { zone: "cn-east", gpu: "yes" };
const west = { zone: "cn-west" };

test("a node is found by one label, by several, by a name alone; nothing wanted finds all", () => {
  const found = (wanted: string) => [east, west].filter((labels) => hasLabels(labels, wanted));
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
