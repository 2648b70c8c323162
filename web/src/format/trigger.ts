/// What a trigger says beside the parameters, as a form has it and as the request has it.
import type { RunOut, TriggerJob } from "../api/types.ts";
import { instantWritten } from "./day.ts";

export interface How {
  reason: string;
  /** As it is written: a time of the zone on the screen. */
  at: string;
  delay: string;
  priority: string;
  key: string;
  isBeside: boolean;
}

export const AT_ONCE: How = { reason: "", at: "", delay: "", priority: "", key: "", isBeside: false };

type Asked = Omit<TriggerJob, "params" | "dry_run" | "test">;

/** Whether its time is one, or none was written. */
export function isTimed({ at }: How, zone: string): boolean {
  return at === "" || instantWritten(at, zone) !== null;
}

/** What was left empty is not in it. */
export function howAsked({ reason, at, delay, priority, key, isBeside }: How, zone: string): Asked {
  const instant = instantWritten(at, zone);
  return {
    ...(instant !== null && { at: instant }),
    ...(delay !== "" && { delay }),
    ...(isBeside && { overlap: "allow" as const }),
    ...(priority !== "" && { priority: Number(priority) }),
    ...(key !== "" && { key }),
    ...(reason !== "" && { reason }),
  };
}

/** Whether something is said that stands folded away: more than a reason. */
export function isSpecial({ reason, ...how }: How): boolean {
  return Object.values(how).some((value) => value !== "" && value !== false);
}

/** Whether a run may start as soon as it was made. */
export function isAtOnce({ created_at, not_before }: Pick<RunOut, "created_at" | "not_before">): boolean {
  return Date.parse(not_before) - Date.parse(created_at) < 1000;
}
