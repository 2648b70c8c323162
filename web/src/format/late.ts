/// Late: more than a minute after the due instant.
import type { RunOut } from "../api/types.ts";

export const LATE_S = 60;

/** How many of these runs started late. */
export function lateOf(runs: readonly Pick<RunOut, "delay_s">[]): number {
  return runs.filter(({ delay_s }) => delay_s !== null && delay_s > LATE_S).length;
}
