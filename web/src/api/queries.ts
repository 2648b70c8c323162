/// What pages read. The first part of each key is what changes name (`live/changes.ts`).
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";

export const overview = () =>
  queryOptions({ queryKey: ["overview"], queryFn: ({ signal }) => call("get_overview", { signal }) });

export interface JobsWanted {
  q?: string | undefined;
  state?: string | undefined;
  failing?: boolean | undefined;
  late?: boolean | undefined;
  sort?: string | undefined;
}

export const jobs = (wanted: JobsWanted) =>
  infiniteQueryOptions({
    queryKey: ["jobs", wanted],
    queryFn: ({ signal, pageParam }) => {
      const { q = "", state = "", failing = false, late = false, sort = "" } = wanted;
      const query = {
        q,
        state,
        failing,
        late,
        ...(sort && { sort }),
        strip: 20,
        limit: 100,
        cursor: pageParam,
      };
      return call("list_jobs", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

export const job = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "itself"],
    queryFn: ({ signal }) => call("get_job", { path: { name }, query: { namespace, strip: 60 }, signal }),
  });

export const jobFires = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "fires"],
    queryFn: ({ signal }) =>
      call("list_job_fires", { path: { name }, query: { namespace, limit: 100 }, signal }),
  });

export const jobWhy = (namespace: string, name: string, at: string, tz: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "why", at, tz],
    queryFn: ({ signal }) => call("explain_job", { path: { name }, query: { namespace, at, tz }, signal }),
  });

export const jobVersions = (namespace: string, name: string) =>
  infiniteQueryOptions({
    queryKey: ["job", namespace, name, "versions"],
    queryFn: ({ signal, pageParam }) =>
      call("list_job_versions", { path: { name }, query: { namespace, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });

export const jobDiff = (namespace: string, name: string, before: number, after: number) =>
  queryOptions({
    queryKey: ["job", namespace, name, "diff", before, after],
    queryFn: ({ signal }) =>
      call("diff_job_versions", { path: { name }, query: { namespace, before, after }, signal }),
  });

export interface RunsWanted {
  job?: string | undefined;
  namespace?: string | undefined;
  state?: string | undefined;
  node?: string | undefined;
}

export const runs = (wanted: RunsWanted) =>
  infiniteQueryOptions({
    queryKey: ["runs", wanted],
    queryFn: ({ signal, pageParam }) => {
      const { job = "", namespace = "", state = "", node = "" } = wanted;
      const query = { job, namespace, state, node, limit: 50, cursor: pageParam };
      return call("list_runs", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

export const run = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "itself"],
    queryFn: ({ signal }) => call("get_run", { path: { run: id }, signal }),
  });

export const runWhy = (id: string, tz: string) =>
  queryOptions({
    queryKey: ["run", id, "why", tz],
    queryFn: ({ signal }) => call("explain_run", { path: { run: id }, query: { tz }, signal }),
  });

export const runAttempts = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "attempts"],
    queryFn: ({ signal }) => call("list_run_attempts", { path: { run: id }, signal }),
  });

export const runShards = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "shards"],
    queryFn: ({ signal }) => call("list_run_shards", { path: { run: id }, query: { limit: 200 }, signal }),
  });

export const runTimeline = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "timeline"],
    queryFn: ({ signal }) => call("get_run_timeline", { path: { run: id }, signal }),
  });

export const cluster = () =>
  queryOptions({
    queryKey: ["cluster"],
    queryFn: ({ signal }) => call("get_cluster", { signal }),
    refetchInterval: 3000,
  });

export const whoami = () =>
  queryOptions({
    queryKey: ["whoami"],
    queryFn: ({ signal }) => call("whoami", { signal }),
    staleTime: 60_000,
  });

export const search = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: ({ signal }) => call("search", { query: { q }, signal }),
    enabled: q.trim() !== "",
    placeholderData: keepPreviousData,
  });
