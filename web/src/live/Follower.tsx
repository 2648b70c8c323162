/// Brings changes into the cache of what was read: rows change in place, pages are read anew.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { RunOut } from "../api/types.ts";
import { type Change, isOfEveryRun, patched, staleBy } from "./changes.ts";
import { follow } from "./follow.ts";
import { Refresher } from "./refresher.ts";

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
      refresher.add(staleBy(change), isOfEveryRun(change) ? "gathered" : "soon");
      for (const listener of listeners) listener(change);
    }, end.signal);
    return () => {
      end.abort();
      refresher.stop();
    };
  }, [client, epoch]);
  return null;
}

interface RunPages {
  pages: { items: RunOut[]; next_cursor: string | null }[];
  pageParams: unknown[];
}

function patchRuns(client: QueryClient, change: Change): void {
  if (!change.kind.startsWith("run.")) return;
  const own = ["run", change.data.id, "itself"];
  client.setQueryData<RunOut>(own, (run) => run && patched(run, change));
  client.setQueriesData<RunPages>({ queryKey: ["runs"] }, (found) => {
    const isShown = found?.pages.some((page) => page.items.some((run) => patched(run, change) !== run));
    if (!isShown) return undefined; // nothing is set, and nothing is drawn anew
    const pages = found?.pages.map((page) => ({
      ...page,
      items: page.items.map((run) => patched(run, change)),
    }));
    return found && pages && { ...found, pages };
  });
}
