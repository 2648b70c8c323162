import { expect, test } from "vitest";
import type { EventOut } from "../api/types.ts";
import { failureOf, failuresOf } from "./failures.ts";

const event = (id: number, kind: string, data: Record<string, unknown>): EventOut => ({
  id,
  at: `2026-11-19T14:01:${String(id).padStart(2, "0")}Z`,
  topic: "cluster",
  kind,
  subject: "store",
  by: "",
  namespace: null,
  data,
});
const AWAY = {
  failover: 7,
  type: "store_unreachable",
  began_at: "2026-11-19T14:01:02Z",
};

test("a failover stands once, with its end when that is known", () => {
  const detected = event(5, "failover.detected", AWAY);
  const ended = event(15, "failover.ended", { ...AWAY, ended_at: "2026-11-19T14:01:05Z" });
  expect(failuresOf([ended, detected])).toEqual([
    {
      id: 7,
      type: "store_unreachable",
      subject: "store",
      fromMs: Date.parse("2026-11-19T14:01:02Z"),
      toMs: Date.parse("2026-11-19T14:01:05Z"),
    },
  ]);
  expect(failuresOf([detected])[0]?.toMs).toBeNull();
});

test("the epoch of the store is a moment, and what is no failure stands nowhere", () => {
  const raised = event(9, "store.epoch_raised", {});
  expect(failuresOf([raised, event(10, "leader.elected", { term: 2 })]).map(({ type }) => type)).toEqual([
    "epoch",
  ]);
  expect(failureOf(event(3, "failover.detected", { failover: "x" }))).toBeNull();
});

test("what an earlier version noted without times is as old as its event", () => {
  const { began_at: _, ...without } = AWAY;
  expect(failureOf(event(5, "failover.ended", without))).toMatchObject({
    fromMs: Date.parse("2026-11-19T14:01:05Z"),
    toMs: Date.parse("2026-11-19T14:01:05Z"),
  });
});
