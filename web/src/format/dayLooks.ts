/// How instants, events and days of a job look: a tone, and where two kinds have the same one, a texture or a shape, so
/// that colour alone tells nothing.
import type { EventOut, FireOut } from "../api/types.ts";
import { type Tone, toneOf } from "./states.ts";

/** What became of an instant. `waits`: it has a run that did not begin, also one that something holds. */
export type FireKind =
  | "good"
  | "bad"
  | "stop"
  | "busy"
  | "waits"
  | "missed"
  | "overlap"
  | "closed"
  | "paused"
  | "other"
  | "planned";

/** Stripes across a bar, broad ones or thin ones far apart; or none, in the full colour or a pale one. */
export type Texture = "solid" | "broad" | "sparse" | "pale";

export interface FireLook {
  tone: Tone;
  texture: Texture;
  /** Half as high: nobody has to look at it. What did not run though it should have is as high as a run. */
  isLow: boolean;
}

export const FIRE_LOOKS: Readonly<Record<FireKind, FireLook>> = {
  good: { tone: "good", texture: "solid", isLow: false },
  bad: { tone: "bad", texture: "solid", isLow: false },
  stop: { tone: "stop", texture: "solid", isLow: false },
  busy: { tone: "busy", texture: "solid", isLow: false },
  waits: { tone: "wait", texture: "sparse", isLow: false },
  missed: { tone: "wait", texture: "broad", isLow: false },
  overlap: { tone: "wait", texture: "solid", isLow: true },
  closed: { tone: "idle", texture: "solid", isLow: true },
  paused: { tone: "idle", texture: "broad", isLow: true },
  other: { tone: "idle", texture: "sparse", isLow: true },
  planned: { tone: "idle", texture: "pale", isLow: false },
};
export const FIRE_KINDS = Object.keys(FIRE_LOOKS) as FireKind[];

const SKIPS: Record<string, FireKind> = {
  misfire: "missed",
  overlap: "overlap",
  calendar: "closed",
  blackout: "closed",
  paused: "paused",
};

type Fired = Pick<FireOut, "decision" | "reason" | "run_state">;

const RUNS: Record<string, FireKind> = {
  FAILED: "bad",
  CANCELLED: "stop",
  RUNNING: "busy",
  PENDING: "waits",
};

export function kindOfFire({ decision, reason, run_state }: Fired): FireKind {
  if (decision === "PLANNED") return "planned";
  if (decision === "SKIPPED") return SKIPS[reason ?? ""] ?? "other";
  return RUNS[run_state ?? ""] ?? "good"; // also one whose run is forgotten by now
}

/** A missed instant is a matter of concern; one that was meant to be skipped is not. */
export function toneOfFire(fire: Fired): Tone {
  return FIRE_LOOKS[kindOfFire(fire)].tone;
}

/** What happened meanwhile: to a clock, to the leader or the store, or to the job. */
export type EventKind = "clock" | "cluster" | "change";

export const EVENT_LOOKS: Readonly<Record<EventKind, { tone: Tone; path: string; glyph: string }>> = {
  clock: { tone: "wait", path: "M0 -1l6 5l-6 5l-6 -5z", glyph: "◆" },
  cluster: { tone: "busy", path: "M-5 -1h10v10h-10z", glyph: "■" },
  change: { tone: "idle", path: "M-6 -1h12l-6 10z", glyph: "▼" },
};
export const EVENT_KINDS = Object.keys(EVENT_LOOKS) as EventKind[];

export function kindOfEvent({ kind }: Pick<EventOut, "kind">): EventKind {
  if (kind.startsWith("clock.")) return "clock";
  return kind.startsWith("job.") ? "change" : "cluster";
}

/** The tone of a day: one failure tells more than a hundred successes. */
export function toneOfDay(counts: Record<string, number>): Tone {
  const gravest = ["FAILED", "CANCELLED", "SUCCEEDED", "RUNNING", "PENDING"].find((state) => counts[state]);
  return gravest === undefined ? "idle" : toneOf(gravest);
}
