import { expect, test } from "vitest";
import type { AlertOut, JobOut, NodeOut, OverviewOut } from "../api/types.ts";
import { needsOf } from "./needs.ts";

const dead = { name: "w-1", kind: "worker", health: "DEAD" } as NodeOut;
const failing = { name: "charge", namespace: "default" } as JobOut;

function alert(kind: AlertOut["kind"], subject: string, silence: number | null = null): AlertOut {
  const namespace = kind === "node" ? null : "default";
  return { id: 1, kind, silence, subjects: [{ subject, namespace }] } as AlertOut;
}

function seen(alerts: AlertOut[]): string[] {
  const overview = {
    cluster: { troubles: [], nodes: [dead] },
    alerts,
    failing: [failing],
    late: [],
    held: [],
  } as unknown as OverviewOut;
  return needsOf(overview).map((need) => need.is);
}

test("what an alert tells of stands once", () => {
  expect(seen([])).toEqual(["failing", "node"]);
  expect(seen([alert("node", "w-1")])).toEqual(["alert", "failing"]);
  expect(seen([alert("failed", "charge")])).toEqual(["alert", "node"]);
});

test("an alert of another node, or a silent one, hides nothing", () => {
  expect(seen([alert("node", "w-2")])).toEqual(["alert", "failing", "node"]);
  expect(seen([alert("node", "w-1", 7)])).toEqual(["failing", "node"]);
});

test("a check that is down is there by its alert", () => {
  expect(seen([alert("heartbeat", "nightly-backup")])).toEqual(["alert", "failing", "node"]);
});
