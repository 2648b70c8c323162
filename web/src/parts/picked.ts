/// The run that somebody chose to compare with another: it stays chosen while they look for the second one.
import { useSyncExternalStore } from "react";

let picked = "";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const read = () => picked;

export function pick(run: string): void {
  picked = run;
  for (const listener of listeners) listener();
}

export function usePicked(): string {
  return useSyncExternalStore(subscribe, read);
}
