/// The next instants of a schedule on two clocks: the one that is chosen, and the one that the schedule goes by.
import type { FireOut } from "../api/types.ts";
import { exactTime } from "./time.ts";

const SHOWN_MAX = 5;
const TO_THE_SECOND = 19;

/** The zones that instants are shown in. `own` is the schedule's, as far as it is written; one alone where both agree. */
export function zonesOf(chosen: string, own: unknown, browser: string): string[] {
  const others = [own, chosen === "UTC" ? browser : "UTC"];
  const other = others.find((zone): zone is string => isZone(zone) && zone !== chosen);
  return other === undefined ? [chosen] : [chosen, other];
}

/** Whether it names a zone; a name that is still being written does not. */
export function isZone(name: unknown): name is string {
  if (typeof name !== "string" || name === "") return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export interface Fire {
  iso: string;
  /** What the clock of each zone shows. */
  shown: string[];
}

const NEXT_MAX = 3;
export const PLANNED_MAX = 20;

/** The next instant of a job, and those that were planned behind it. */
export function nextOf(at: string | null, planned: readonly string[]): string[] {
  if (at === null) return [];
  const behind = planned.filter((one) => Date.parse(one) > Date.parse(at));
  return [at, ...behind].slice(0, NEXT_MAX);
}

/** Whether those that were planned are used up, so that more are to be asked for; fewer than asked for are all. */
export function isUsedUp(at: string | null, planned: readonly string[]): boolean {
  return at !== null && planned.length >= PLANNED_MAX && nextOf(at, planned).length < NEXT_MAX;
}

/** The first instants, each as the clocks of these zones show it. */
export function firesIn(instants: readonly string[], zones: readonly string[]): Fire[] {
  return instants.slice(0, SHOWN_MAX).map((iso) => ({
    iso,
    shown: zones.map((zone) => exactTime(iso, zone).slice(0, TO_THE_SECOND)),
  }));
}

/** How many instants were decided so. An entry may stand for a whole range of them. */
export function countOf(fires: readonly Pick<FireOut, "decision" | "count">[], decision: string): number {
  const found = fires.filter((fire) => fire.decision === decision);
  return found.reduce((sum, fire) => sum + (fire.count ?? 1), 0);
}
