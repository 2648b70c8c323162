/// Favourite jobs: saved views of their pages, which the server keeps for each user.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../api/call.ts";
import { views } from "../api/queries.ts";
import { favouriteOf, type Named, nameOf } from "../format/favourites.ts";
import { jobPath } from "../format/paths.ts";

export interface Favourites {
  /** Undefined while they are read. */
  jobs: Named[] | undefined;
  has: (job: Named) => boolean;
  toggle: (job: Named) => Promise<void>;
}

export function useFavourites(): Favourites {
  const client = useQueryClient();
  const { data } = useQuery({ ...views(), staleTime: 60_000 });
  return useMemo(() => {
    const jobs = data?.items.flatMap((view) => favouriteOf(view) ?? []);
    const has = (job: Named) => (jobs ?? []).some((one) => isSame(one, job));
    return { jobs, has, toggle: (job: Named) => toggle(client, job, has(job)) };
  }, [client, data]);
}

function isSame(one: Named, other: Named): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

async function toggle(client: QueryClient, job: Named, isOne: boolean): Promise<void> {
  const path = { name: nameOf(job) };
  if (isOne) await call("remove_view", { path });
  else await call("save_view", { path, body: { path: jobPath(job), shared: false } });
  await client.invalidateQueries({ queryKey: ["views"] });
}
