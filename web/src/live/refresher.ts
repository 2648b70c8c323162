/// Reads anew what is stale: what somebody did at once, what runs do at most once a second.
import type { QueryClient } from "@tanstack/react-query";
import type { Stale } from "./changes.ts";

const WAIT_MS = { soon: 100, gathered: 1000 };

/** Gathers what is stale. It never asks twice at the same time for the same: a slow answer is awaited, not asked again. */
export class Refresher {
  private readonly client: QueryClient;
  private readonly waiting = new Map<string, Stale>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private timerAtMs = 0;
  private lastMs = 0;

  constructor(client: QueryClient) {
    this.client = client;
  }

  add(stale: Stale[], when: keyof typeof WAIT_MS): void {
    for (const one of stale) this.waiting.set(JSON.stringify(one), one);
    if (this.waiting.size > 0) this.wake(Math.max(Date.now(), this.lastMs + WAIT_MS[when]));
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.waiting.clear();
  }

  private wake(atMs: number): void {
    if (this.timer !== null && this.timerAtMs <= atMs) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timerAtMs = atMs;
    this.timer = setTimeout(() => this.refresh(), atMs - Date.now());
  }

  private refresh(): void {
    this.timer = null;
    this.lastMs = Date.now();
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const stale of all) this.read(stale);
    // What was asked for before the change may be answered without it: it is asked once more when it is here.
    if (this.waiting.size > 0) this.wake(this.lastMs + WAIT_MS.gathered);
  }

  private read(stale: Stale): void {
    if (stale.what === "failures") {
      void this.client.refetchQueries({ predicate: ({ state }) => state.error !== null });
      return;
    }
    const queryKey = keyOf(stale);
    if (this.client.isFetching({ queryKey }) > 0) this.waiting.set(JSON.stringify(stale), stale);
    void this.client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  }
}

function keyOf(stale: Stale): readonly unknown[] {
  switch (stale.what) {
    case "everything":
      return [];
    case "job":
      return ["job", stale.namespace, stale.name];
    case "run":
      return ["run", stale.id];
    default:
      return [stale.what];
  }
}
