import { expect, test } from "vitest";
import {
  EVENT_KINDS,
  EVENT_LOOKS,
  FIRE_KINDS,
  FIRE_LOOKS,
  kindOfEvent,
  kindOfFire,
  toneOfDay,
  toneOfFire,
} from "./dayLooks.ts";

const created = (run_state: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null) =>
  ({ decision: "CREATED", reason: null, run_state }) as const;
const skipped = (reason: string) => ({ decision: "SKIPPED", reason, run_state: null }) as const;

test("an instant with a run looks as the run does", () => {
  expect(
    (["SUCCEEDED", "FAILED", "CANCELLED", "RUNNING", "PENDING", null] as const).map((state) =>
      toneOfFire(created(state)),
    ),
  ).toEqual(["good", "bad", "stop", "busy", "wait", "good"]);
});

test("what was missed or found an earlier run open is a concern, what was meant to be skipped is none", () => {
  const reasons = ["misfire", "overlap", "calendar", "blackout", "paused", "edited", "limit", "of later"];
  expect(reasons.map((reason) => toneOfFire(skipped(reason)))).toEqual([
    ...["wait", "wait"],
    ...["idle", "idle", "idle", "idle", "idle", "idle"],
  ]);
  expect(reasons.map((reason) => kindOfFire(skipped(reason)))).toEqual([
    "missed",
    "overlap",
    "closed",
    "closed",
    "paused",
    "other",
    "other",
    "other",
  ]);
  expect(toneOfFire({ decision: "PLANNED", reason: null, run_state: null })).toBe("idle");
});

test("no two kinds of instants look alike, nor two kinds of events", () => {
  const looks = FIRE_KINDS.map((kind) => Object.values(FIRE_LOOKS[kind]).join(" "));
  expect(new Set(looks).size).toBe(looks.length);
  for (const part of ["path", "glyph"] as const) {
    const shapes = EVENT_KINDS.map((kind) => EVENT_LOOKS[kind][part]);
    expect(new Set(shapes).size).toBe(shapes.length);
  }
});

test("without colours there are a high bar and its stripes, or half a bar", () => {
  // Runs differ among each other by colours that were measured for each kind of eyes (look/eyes.test.ts).
  const ofNone = FIRE_KINDS.filter((kind) => !["good", "bad", "stop", "busy"].includes(kind));
  const grey = ofNone.map((kind) => `${FIRE_LOOKS[kind].texture} ${FIRE_LOOKS[kind].isLow}`);
  expect(grey.filter((one) => one === "solid false")).toEqual([]);
});

test("events are of a clock, of the leader or the store, or changes of the job", () => {
  const kinds = ["clock.stepped_back", "leader.elected", "store.restored", "job.paused", "job.moved"];
  expect(kinds.map((kind) => kindOfEvent({ kind }))).toEqual([
    "clock",
    "cluster",
    "cluster",
    "change",
    "change",
  ]);
});

test("one failure tells more of a day than a hundred successes", () => {
  expect(toneOfDay({ SUCCEEDED: 100, FAILED: 1 })).toBe("bad");
  expect(toneOfDay({ SUCCEEDED: 100, CANCELLED: 1 })).toBe("stop");
  expect(toneOfDay({ SUCCEEDED: 1, RUNNING: 1, SKIPPED: 9 })).toBe("good");
  expect(toneOfDay({ RUNNING: 1, PENDING: 1 })).toBe("busy");
  expect(toneOfDay({ PENDING: 1, SKIPPED: 1 })).toBe("wait");
  expect(toneOfDay({ SKIPPED: 9 })).toBe("idle");
  expect(toneOfDay({ FAILED: 0 })).toBe("idle");
});
