import { describe, expect, test } from "vitest";
import type { AlertOut, DeliveryOut } from "../api/types.ts";
import { evidenceOf, firingCount, lifeOf, runOf, sorted } from "./alerts.ts";

const usual = {
  id: 1,
  state: "FIRING",
  level: "warning",
  rule: "nights",
  silence: null,
  began_at: "2026-11-16T06:00:00Z",
  fired_at: "2026-11-16T06:00:05Z",
  acked_at: null,
  acked_by: null,
  ack_note: "",
  resolved_at: null,
  subjects: [],
} as unknown as AlertOut;
const alert = (changes: Partial<AlertOut>): AlertOut => ({ ...usual, ...changes });

describe("alerts in order", () => {
  test("each stands in one place: a silent one is not among those that fire, nor is one that somebody looks after", () => {
    const found = sorted([
      alert({ id: 1, level: "critical" }),
      alert({ id: 2 }),
      alert({ id: 3, silence: 7 }),
      alert({ id: 4, state: "ACKNOWLEDGED" }),
      alert({ id: 5, state: "PENDING" }),
      alert({ id: 6, state: "ACKNOWLEDGED", silence: 7 }),
    ]);
    const ids = (all: AlertOut[]) => all.map((one) => one.id);
    expect(ids(found.firing.critical)).toEqual([1]);
    expect(ids(found.firing.warning)).toEqual([2]);
    expect(ids(found.silent)).toEqual([3, 6]);
    expect(ids(found.acknowledged)).toEqual([4]);
    expect(ids(found.pending)).toEqual([5]);
  });

  test("the rail counts every level", () => {
    expect(firingCount({ critical: 1, warning: 2, info: 3 })).toBe(6);
    expect(firingCount(undefined)).toBe(0);
  });

  test("the run that shows it is that of the first thing it touches", () => {
    expect(runOf(alert({}))).toBe(null);
    expect(runOf(alert({ subjects: [{ run: "r-1" }] as AlertOut["subjects"] }))).toBe("r-1");
  });
});

test("the life of an alert is told in the order of time", () => {
  const notice = {
    created_at: "2026-11-16T06:00:06Z",
    channel: "oncall",
    kind: "fired",
    error: "",
  } as DeliveryOut;
  const life = lifeOf(
    alert({
      acked_at: "2026-11-16T06:05:00Z",
      acked_by: "ann",
      ack_note: "on it",
      resolved_at: "2026-11-16T07:00:00Z",
    }),
    [notice],
  );
  expect(life.map((one) => one.what)).toEqual(["began", "fired", "notice", "acked", "resolved"]);
  expect(life[3]).toMatchObject({ by: "ann", says: "on it" });
});

test("evidence leaves out what says nothing", () => {
  expect(evidenceOf({ error: "boom", of: 5, node: null, kind: "", tags: {} })).toEqual([
    ["error", "boom"],
    ["of", "5"],
  ]);
});
