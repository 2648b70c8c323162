import { expect, test } from "vitest";
import type { AlertOut, JobOut, NodeOut, OverviewOut } from "../api/types.ts";
import { needsOf } from "./needs.ts";

const dead = { name: "w-1", kind: "worker", health: "DEAD", started_at: "2026-11-16T06:00:00Z" } as NodeOut;
const failing = { name: "charge", namespace: "default" } as JobOut;

function alert(kind: AlertOut["kind"], subject: string, silence: number | null = null): AlertOut {
  const namespace = kind === "node" ? null : "default";
  return { id: 1, kind, level: "warning", silence, subjects: [{ subject, namespace }] } as AlertOut;
}

function seen(alerts: AlertOut[], nodes = [dead]): string[] {
  const overview = {
    cluster: { troubles: [], nodes },
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

test("an alert of several jobs or nodes tells of each of them, and so does a failover", () => {
  const several = { ...alert("node", "w-9"), subjects: [{ subject: "w-9" }, { subject: "w-1" }] } as AlertOut;
  expect(seen([several])).toEqual(["alert", "failing"]);
  expect(seen([alert("failover", "w-1")])).toEqual(["alert", "failing"]);
  const jobs = alert("failed", "settle");
  expect(seen([{ ...jobs, subjects: [...jobs.subjects, ...alert("failed", "charge").subjects] }])).toEqual([
    "alert",
    "node",
  ]);
});

test("a node that died twice under its name stands once, and not at all when it is back", () => {
  const again = { ...dead, started_at: "2026-11-16T06:10:00Z" };
  expect(seen([], [dead, again])).toEqual(["failing", "node"]);
  expect(seen([], [dead, again, { ...dead, health: "ONLINE" }])).toEqual(["failing"]);
  expect(seen([], [dead, { ...again, health: "WARNING" }])).toEqual(["failing", "node"]);
});

test("an alert of another node, or a silent one, hides nothing", () => {
  expect(seen([alert("node", "w-2")])).toEqual(["alert", "failing", "node"]);
  expect(seen([alert("node", "w-1", 7)])).toEqual(["failing", "node"]);
});

test("a check that is down is there by its alert", () => {
  expect(seen([alert("heartbeat", "nightly-backup")])).toEqual(["alert", "failing", "node"]);
});

test("the gravest alert stands first, and those of a level stay in their order", () => {
  const levels = ["warning", "info", "critical", "warning"] as const;
  const alerts = levels.map((level, id) => ({ ...alert("failed", "charge"), level, id }));
  const overview = { cluster: null, alerts, failing: [], late: [], held: [] } as unknown as OverviewOut;
  expect(needsOf(overview).map((need) => need.is === "alert" && need.alert.id)).toEqual([2, 0, 3, 1]);
});
