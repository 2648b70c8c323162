/// Brings changes into the cache of what was read: rows change in place, pages are read anew.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { JobOut, RunOut } from "../api/types.ts";
import { type Change, isOfEveryRun, patched, patchedJob, staleBy } from "./changes.ts";
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
      patch(client, change);
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

interface ListPages<T> {
  pages: { items: T[]; next_cursor: string | null }[];
  pageParams: unknown[];
}

/** What is on the screen changes with the change itself; what else follows from it is read anew. */
function patch(client: QueryClient, change: Change): void {
  if (change.kind.startsWith("run.")) {
    client.setQueryData<RunOut>(["run", change.data.id, "itself"], (run) => run && patched(run, change));
    patchLists<RunOut>(client, "runs", (run) => patched(run, change));
  }
  if (change.kind === "job.paused" || change.kind === "job.resumed") {
    const own = ["job", change.namespace, change.subject, "itself"];
    client.setQueryData<JobOut>(own, (job) => job && patchedJob(job, change));
    patchLists<JobOut>(client, "jobs", (job) => patchedJob(job, change));
  }
}

function patchLists<T>(client: QueryClient, list: string, changed: (item: T) => T): void {
  client.setQueriesData<ListPages<T>>({ queryKey: [list] }, (found) => {
    const isShown = found?.pages?.some((page) => page.items.some((item) => changed(item) !== item));
    if (!isShown) return undefined; // nothing is set, and nothing is drawn anew
    const pages = found?.pages.map((page) => ({ ...page, items: page.items.map(changed) }));
    return found && pages && { ...found, pages };
  });
}
