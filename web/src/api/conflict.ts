/// What a refused save says when somebody was faster: what is kept now, and how the wanted one differs.
import { ProblemError } from "./call.ts";
import type { ChangeOut } from "./types.ts";

export interface Conflict<T> {
  current: T;
  changes: ChangeOut[];
}

export function conflictOf<T>(error: Error | null): Conflict<T> | null {
  if (!(error instanceof ProblemError) || error.status !== 412) return null;
  const { current, changes } = error.problem as unknown as Partial<Conflict<T>>;
  return current && changes ? { current, changes } : null;
}

/** The version that a save was made from; 0: there must be none yet. */
export function madeFrom(version: number): Record<string, string> {
  return version === 0 ? { "If-None-Match": "*" } : { "If-Match": `"v${version}"` };
}
