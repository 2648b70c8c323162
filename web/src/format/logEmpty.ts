/// What is said in place of the lines of a log that has none.
import { isOver } from "../live/changes.ts";

export interface Told {
  state: string;
  attempt: number;
  node: string | null;
}

export type EmptyWord =
  | "log.empty_filtered"
  | "log.empty_waiting"
  | "log.empty_again"
  | "log.empty"
  | "log.empty_on"
  | "log.empty_never"
  | "log.empty_over";

/** `hasShards`: it executes nothing itself, and its attempts are none. `isFiltered`: others may stand in the log. */
export function emptyWord(
  run: Told,
  { hasShards, isFiltered }: { hasShards: boolean; isFiltered: boolean },
): EmptyWord {
  if (isFiltered) return "log.empty_filtered";
  const wasTried = run.attempt > 0 || hasShards;
  if (isOver(run.state)) return wasTried ? "log.empty_over" : "log.empty_never";
  if (run.state === "PENDING") return wasTried && !hasShards ? "log.empty_again" : "log.empty_waiting";
  return hasShards || run.node === null ? "log.empty" : "log.empty_on";
}
