import { expect, test } from "vitest";
import type { EventOut } from "../api/types.ts";
import { eventPlace } from "./eventPlace.ts";

const event = (kind: string, more: Partial<EventOut> = {}): EventOut => ({
  id: 1,
  at: "2026-11-19T14:00:00Z",
  topic: "cluster",
  kind,
  subject: "a",
  by: "",
  namespace: null,
  data: {},
  ...more,
});

test.each([
  [event("alert.fired", { data: { alert: 12, of: "charge" } }), "/alerts?id=12"],
  [event("alert.fired"), "/alerts"],
  [event("failover.detected", { data: { failover: 3 } }), "/nodes?tab=failovers&id=3"],
  [event("drill.ended", { data: { drill: 4 } }), "/nodes?tab=drills&id=4"],
  [event("lock.deadlock", { namespace: "billing" }), "/locks?name=a&namespace=billing"],
  [event("lock.taken_away", { namespace: "default", subject: "acct:42" }), "/locks?name=acct%3A42"],
  [event("limit.set", { data: { max: 4 } }), "/limits?name=a"],
  [event("limit.set", { data: { of: "group", max: 4 } }), "/limits?name=a&kind=group"],
  [event("limit.set", { data: { namespace: "billing" } }), "/limits?name=a&namespace=billing"],
  [event("limit.removed"), "/limits"],
  [event("calendar.saved"), "/calendars?name=a"],
  [event("calendar.deleted"), "/calendars"],
  [event("backfill.started", { topic: "jobs", namespace: "default" }), "/backfills"],
  [event("job.paused", { topic: "jobs", namespace: "default" }), "/jobs/default/a"],
  [event("check.removed", { namespace: "default" }), null],
  [event("run.cancelled", { topic: "runs", subject: "r-1" }), "/runs/r-1"],
  [event("node.dead", { topic: "nodes" }), "/nodes?node=a"],
  [event("leader.elected"), "/nodes?node=a"],
  [event("maintenance.on", { subject: "" }), null],
  [event("store.away"), null],
  [event("constructor.called"), null],
])("$kind of $data leads to its place", (told, place) => {
  expect(eventPlace(told)).toBe(place);
});
