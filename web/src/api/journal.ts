/// What was noted of one job on one day, and what clocks, leaders and the store did meanwhile.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";
import type { EventOut } from "./types.ts";

const PAGES_MAX = 10;

/** Events, the newest first; `isCut`: there are more than are read. */
export interface Noted {
  items: EventOut[];
  isCut: boolean;
}

interface Asked {
  topic: string;
  subject?: string;
  namespace?: string;
  since: string;
  until?: string;
}

/** All events of a range, a page at a time. A page may be empty before the last one: the server looks at so many rows for each. */
export async function wholeJournal(asked: Asked, signal?: AbortSignal): Promise<Noted> {
  const items: EventOut[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null && page < PAGES_MAX; page++) {
    const found: { items: EventOut[]; next_cursor: string | null } = await call("list_journal", {
      query: { ...asked, limit: 200, cursor },
      signal,
    });
    items.push(...found.items);
    cursor = found.next_cursor;
  }
  return { items, isCut: cursor !== null };
}

const isOfTheDay = (event: EventOut) => /^(clock|leader|store)\./.test(event.kind);

/** The day of a job: it is asked for by its name, so that what others did cannot crowd it out. */
export const dayOfJob = (namespace: string, name: string, since: string, until: string) =>
  queryOptions({
    queryKey: ["journal", "day", namespace, name, since, until],
    queryFn: async ({ signal }): Promise<Noted> => {
      const [own, cluster] = await Promise.all([
        wholeJournal({ topic: "jobs", subject: name, namespace, since, until }, signal),
        wholeJournal({ topic: "cluster", since, until }, signal),
      ]);
      const items = [...own.items, ...cluster.items.filter(isOfTheDay)];
      items.sort((one, other) => other.id - one.id);
      return { items, isCut: own.isCut || cluster.isCut };
    },
  });

/** What the cluster did since an instant. The newest events alone may hold no election. */
export const clusterSince = (since: string) =>
  queryOptions({
    queryKey: ["journal", "cluster", since],
    queryFn: ({ signal }) => wholeJournal({ topic: "cluster", since }, signal),
  });
