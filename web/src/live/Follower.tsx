/// Brings changes into the cache of what was read: rows change in place, pages are read anew at most every second.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { RunOut } from "../api/types.ts";
import { type Change, patched, type Stale, staleBy } from "./changes.ts";
import { follow } from "./follow.ts";

const EVERY_MS = 1000;
type Listener = (change: Change) => void;
const listeners = new Set<Listener>();

/** Calls back with each change, while the component is there. */
export function useChanges(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listener]);
}

/** `epoch` changes with each login: the stream of the session before is over. */
export function Follower({ epoch }: { epoch: number }) {
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new epoch is a new stream
  useEffect(() => {
    const end = new AbortController();
    const refresher = new Refresher(client);
    void follow((change) => {
      patchRuns(client, change);
      refresher.add(staleBy(change));
      for (const listener of listeners) listener(change);
    }, end.signal);
    return () => {
      end.abort();
      refresher.stop();
    };
  }, [client, epoch]);
  return null;
}

/** Gathers what is stale and reads it anew, at most once a second. */
class Refresher {
  private readonly client: QueryClient;
  private readonly waiting = new Map<string, readonly unknown[]>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private lastMs = 0;

  constructor(client: QueryClient) {
    this.client = client;
  }

  add(stale: Stale[]): void {
    for (const one of stale) {
      const key = keyOf(one);
      this.waiting.set(JSON.stringify(key), key);
    }
    if (this.timer !== null || this.waiting.size === 0) return;
    const inMs = Math.max(0, this.lastMs + EVERY_MS - Date.now());
    this.timer = setTimeout(() => this.refresh(), inMs);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.waiting.clear();
  }

  private refresh(): void {
    this.timer = null;
    this.lastMs = Date.now();
    const keys = [...this.waiting.values()];
    this.waiting.clear();
    for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
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

interface RunPages {
  pages: { items: RunOut[]; next_cursor: string | null }[];
  pageParams: unknown[];
}

function patchRuns(client: QueryClient, change: Change): void {
  if (!change.kind.startsWith("run.")) return;
  client.setQueriesData<RunPages>({ queryKey: ["runs"] }, (found) => {
    if (!found) return found;
    const pages = found.pages.map((page) => ({
      ...page,
      items: page.items.map((run) => patched(run, change)),
    }));
    return { ...found, pages };
  });
}
