/// Whether what is on the screen is live, for the chip: a small store that components subscribe to.
import { useSyncExternalStore } from "react";

export type Live =
  | { is: "connecting" }
  | { is: "live" }
  | { is: "paused" }
  | { is: "polled" }
  | { is: "waiting"; untilMs: number; sinceMs: number };

let now: Live = { is: "connecting" };
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const readLive = (): Live => now;

export function setLive(next: Live): void {
  now = next;
  for (const listener of listeners) listener();
}

export function useLive(): Live {
  return useSyncExternalStore(subscribe, readLive);
}

let ageS: number | null = null;
const readAge = () => ageS;

/** How old the last answer is at most, because a replica gave it; null: the store itself did. */
export function setReplicaAge(next: number | null): void {
  if (next === ageS) return;
  ageS = next;
  for (const listener of listeners) listener();
}

export function useReplicaAge(): number | null {
  return useSyncExternalStore(subscribe, readAge);
}
