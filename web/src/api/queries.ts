/// What pages read. The first part of each key is what changes name (`live/changes.ts`).
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import type { Named } from "../format/favourites.ts";
import { type Span, spanStart, type TimeRange } from "../format/figures.ts";
import { PLANNED_MAX } from "../format/fires.ts";
import type { ReadPage } from "./allPages.ts";
import { call, serverNow } from "./call.ts";
import type { EventOut, JobOut, Page_JobOut_, Page_RunOut_, RunOut, SkipOut } from "./types.ts";

/** Only the filters that are set. */
function given(wanted: object): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** What a list on another page had of it: shown at once, dimmed, until its own answer is here. */
function listed<T>(client: QueryClient, list: string, isIt: (item: T) => boolean): T | undefined {
  const lists = client.getQueriesData<Partial<InfiniteData<{ items: T[] }>>>({ queryKey: [list] });
  for (const [, found] of lists) {
    for (const page of found?.pages ?? []) {
      const item = page.items.find(isIt);
      if (item !== undefined) return item;
    }
  }
  return undefined;
}

export const listedJob = (client: QueryClient, namespace: string, name: string) =>
  listed<JobOut>(client, "jobs", (job) => job.name === name && job.namespace === namespace);

export const listedRun = (client: QueryClient, id: string) =>
  listed<RunOut>(client, "runs", (run) => run.id === id);

/** The groups of the jobs that were read so far. */
export function seenGroups(client: QueryClient): string[] {
  const lists = client.getQueriesData<Partial<InfiniteData<{ items: JobOut[] }>>>({ queryKey: ["jobs"] });
  const jobs = lists.flatMap(([, found]) => found?.pages?.flatMap((page) => page.items) ?? []);
  return [...new Set(jobs.map((job) => job.group))].sort();
}

export const overview = (tz: string) =>
  queryOptions({
    queryKey: ["overview", tz],
    queryFn: ({ signal }) => call("get_overview", { query: { tz }, signal }),
    placeholderData: keepPreviousData,
  });

/** The newest run that failed, where nothing else is to be told. */
export const lastFailure = (namespace: string) =>
  queryOptions({
    queryKey: ["failure", namespace],
    queryFn: async ({ signal }) => {
      const found = await call("list_runs", { query: { state: "FAILED", limit: 1 }, signal });
      return found.items[0] ?? null;
    },
    staleTime: 30_000,
  });

export interface JobsWanted {
  q?: string | undefined;
  state?: string | undefined;
  failing?: boolean | undefined;
  late?: boolean | undefined;
  group?: string | undefined;
  sort?: string | undefined;
}

/** `names`: only these. */
export const jobs = (wanted: JobsWanted, names?: Named[]) =>
  infiniteQueryOptions({
    queryKey: ["jobs", wanted, names],
    queryFn: ({ signal, pageParam }) => {
      const { q = "", state = "", failing = false, late = false, group = "", sort = "" } = wanted;
      const query = {
        q,
        group,
        state,
        failing,
        late,
        ...(sort && { sort }),
        ...(names && { name: names.map((job) => `${job.namespace}/${job.name}`) }),
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

export const MATCHING_MAX = 500;

/** Every job that a filter lets through, for a verb on all of them; `isCut`: there are more than a verb takes. */
export const matchingJobs = (wanted: JobsWanted) =>
  queryOptions({
    queryKey: ["jobs", "matching", wanted],
    queryFn: ({ signal }) => allMatching(wanted, signal),
    staleTime: 0,
    gcTime: 0,
  });

/** How many they are: read for a look, so not anew with every change of a job. */
export const matchingCount = (wanted: JobsWanted) =>
  queryOptions({
    queryKey: ["matching", wanted],
    queryFn: async ({ signal }) => {
      const { items, isCut } = await allMatching(wanted, signal);
      return { count: items.length, isCut };
    },
    staleTime: 10_000,
  });

async function allMatching(wanted: JobsWanted, signal: AbortSignal) {
  const { q = "", state = "", failing = false, late = false, group = "" } = wanted;
  const items: JobOut[] = [];
  let cursor: string | null = "";
  while (cursor !== null && items.length <= MATCHING_MAX) {
    const query = { q, state, failing, late, group, limit: 200, cursor };
    const page: Page_JobOut_ = await call("list_jobs", { query, signal });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return { items: items.slice(0, MATCHING_MAX), isCut: cursor !== null || items.length > MATCHING_MAX };
}

export const job = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "itself"],
    queryFn: ({ signal }) => call("get_job", { path: { name }, query: { namespace, strip: 60 }, signal }),
  });

export const jobKeys = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "keys"],
    queryFn: ({ signal }) => call("get_job_keys", { path: { name }, query: { namespace }, signal }),
  });

/** Instants to come, from one on: more than are shown, so that a job that fires each second is not asked for each time. */
export const nextFires = ({ namespace, name, version }: JobOut, from: string | null) =>
  queryOptions({
    queryKey: ["next", namespace, name, version, from],
    queryFn: ({ signal }) => {
      const query = { namespace, from: new Date(serverNow()).toISOString(), limit: PLANNED_MAX };
      return call("list_job_fires", { path: { name }, query, signal });
    },
    staleTime: 60_000,
    placeholderData: (before, asked) =>
      asked?.queryKey[1] === namespace && asked.queryKey[2] === name ? before : undefined,
  });

const FIRE_PAGES_MAX = 10;

/** What became of the instants between two, and those to come. Of a crowded day the newest 2000 are read. */
export const jobFires = (namespace: string, name: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["job", namespace, name, "fires", from, to],
    queryFn: async ({ signal }) => {
      const query = { namespace, from, to, limit: 200 };
      const first = await call("list_job_fires", { path: { name }, query, signal });
      const past = [...first.past];
      let cursor = first.next_cursor;
      for (let page = 1; cursor !== null && page < FIRE_PAGES_MAX; page++) {
        const next = await call("list_job_fires", { path: { name }, query: { ...query, cursor }, signal });
        past.push(...next.past);
        cursor = next.next_cursor;
      }
      return { ...first, past, next_cursor: cursor };
    },
    placeholderData: keepPreviousData,
  });

// A heat map counts many runs: it is not read anew with each change, but once a minute.
export const jobDays = (namespace: string, name: string, tz: string) =>
  queryOptions({
    queryKey: ["days", namespace, name, tz],
    queryFn: ({ signal }) => call("get_job_days", { path: { name }, query: { namespace, tz }, signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

// Figures are counted some seconds after runs end: they are read anew by time, not with each change.
const COUNTED_MS = { staleTime: 15_000, refetchInterval: 30_000 };

/** A range that was chosen, or a span up to now. */
function within(span: Span, chosen: TimeRange | null): { from: string; to?: string } {
  return chosen ?? { from: spanStart(span, serverNow()) };
}

export const jobStats = (namespace: string, name: string, span: Span, chosen: TimeRange | null) =>
  queryOptions({
    queryKey: ["stats", "job", namespace, name, chosen ?? span],
    queryFn: ({ signal }) => {
      const query = { namespace, ...within(span, chosen) };
      return call("get_job_stats", { path: { name }, query, signal });
    },
    placeholderData: keepPreviousData,
    ...COUNTED_MS,
  });

export const nodeStats = (name: string, span: Span, chosen: TimeRange | null) =>
  queryOptions({
    queryKey: ["stats", "node", name, chosen ?? span],
    queryFn: ({ signal }) => call("get_node_stats", { path: { name }, query: within(span, chosen), signal }),
    placeholderData: keepPreviousData,
    ...COUNTED_MS,
  });

/** How all runs of the cluster went in a span up to now. */
export const clusterStats = (span: Span) =>
  queryOptions({
    queryKey: ["stats", "cluster", span],
    queryFn: ({ signal }) =>
      call("get_cluster_stats", { query: { from: spanStart(span, serverNow()) }, signal }),
    ...COUNTED_MS,
  });

/** The newest runs of a range, for a picture of each. */
export const runDots = (namespace: string, job: string, since: string, until: string) =>
  queryOptions({
    queryKey: ["stats", "dots", namespace, job, since, until],
    queryFn: ({ signal }) =>
      call("list_runs", { query: { namespace, job, since, until, limit: 200 }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });

export const ahead = (minutes: number) =>
  queryOptions({
    queryKey: ["ahead", minutes],
    queryFn: ({ signal }) => call("get_ahead", { query: { minutes }, signal }),
    staleTime: 15_000,
    refetchInterval: 30_000,
  });

export interface JournalWanted {
  topic?: string | undefined;
  subject?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export const journal = (wanted: JournalWanted) =>
  infiniteQueryOptions({
    queryKey: ["journal", wanted],
    queryFn: ({ signal, pageParam }) =>
      call("list_journal", { query: { ...given(wanted), limit: 100, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

const EXPORTED = 200; // what a page of a file has

export const journalPage =
  (wanted: JournalWanted): ReadPage<EventOut> =>
  (cursor, signal) =>
    call("list_journal", { query: { ...given(wanted), limit: EXPORTED, cursor }, signal });

export const skipsPage =
  (wanted: SkipsWanted): ReadPage<SkipOut> =>
  (cursor, signal) =>
    call("list_skips", { query: { ...given(wanted), limit: EXPORTED, cursor }, signal });

export interface SkipsWanted {
  job?: string | undefined;
  reason?: string | undefined;
  since?: string | undefined;
}

/** What did not run. Nothing tells when an instant is skipped, so it is asked for now and then while it is seen. */
export const skips = (wanted: SkipsWanted) =>
  infiniteQueryOptions({
    queryKey: ["skips", wanted],
    queryFn: ({ signal, pageParam }) =>
      call("list_skips", { query: { ...given(wanted), limit: 100, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
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
  since?: string | undefined;
  until?: string | undefined;
  /** Bars of charts and reports count runs by when they were over. */
  ended_since?: string | undefined;
  ended_until?: string | undefined;
  /** "none": without those of jobs that users tested. */
  tests?: "none";
}

export const runs = (wanted: RunsWanted) =>
  infiniteQueryOptions({
    queryKey: ["runs", wanted],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...given(wanted), limit: 50, cursor: pageParam };
      return call("list_runs", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

const RUNS_MAX = 1000;

/** Every run that a filter lets through, for a verb on all of them; `isCut`: there are more than a verb takes. */
export const matchingRuns = (wanted: RunsWanted) =>
  queryOptions({
    queryKey: ["runs", "matching", wanted],
    queryFn: async ({ signal }) => {
      const items: RunOut[] = [];
      let cursor: string | null = "";
      while (cursor !== null && items.length <= RUNS_MAX) {
        const query = { ...given(wanted), limit: 200, cursor };
        const page: Page_RunOut_ = await call("list_runs", { query, signal });
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return { items: items.slice(0, RUNS_MAX), isCut: cursor !== null || items.length > RUNS_MAX };
    },
    staleTime: 0,
    gcTime: 0,
  });

/** Jobs with the text in their names, of the chosen namespace or of all. */
export const jobsNamed = (text: string) =>
  queryOptions({
    queryKey: ["names", "jobs", text],
    queryFn: async ({ signal }) => {
      const found = await call("list_jobs", { query: { q: text, limit: 50 }, signal });
      const jobs = found.items.map(({ name, namespace }) => ({ name, namespace }));
      return jobs.filter((job) => job.name.toLowerCase().includes(text.toLowerCase()));
    },
    enabled: text !== "",
    staleTime: 10_000,
  });

export const nodeNames = (isWanted: boolean) =>
  queryOptions({
    queryKey: ["names", "nodes"],
    queryFn: async ({ signal }) => {
      const found = await call("get_cluster", { signal });
      return [...new Set(found.nodes.map((node) => node.name))].sort();
    },
    enabled: isWanted,
    staleTime: 10_000,
  });

export const run = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "itself"],
    queryFn: ({ signal }) => call("get_run", { path: { run: id }, signal }),
  });

/** `shown`: a run in another state has another reason. The one before stands until that is here. */
export const runWhy = (id: string, tz: string, shown: string) =>
  queryOptions({
    queryKey: ["run", id, "why", tz, shown],
    queryFn: ({ signal }) => call("explain_run", { path: { run: id }, query: { tz }, signal }),
    placeholderData: (before, asked) => (asked?.queryKey[1] === id ? before : undefined),
  });

/** Where several runs stand, in one request. Read again while somebody looks: what keeps them changes. */
export const runWhys = (ids: string[], tz: string) =>
  queryOptions({
    queryKey: ["whys", ids, tz],
    queryFn: ({ signal }) => call("explain_runs", { query: { ids: ids.join(","), tz }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });

/** The last lines of a run's log, as they are now. */
export const runLines = (id: string, limit: number) =>
  queryOptions({
    queryKey: ["run", id, "lines", limit],
    queryFn: ({ signal }) => call("get_run_lines", { path: { run: id }, query: { limit }, signal }),
  });

export const runAttempts = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "attempts"],
    queryFn: ({ signal }) => call("list_run_attempts", { path: { run: id }, signal }),
  });

export const runShards = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["run", id, "shards"],
    queryFn: ({ signal, pageParam }) =>
      call("list_run_shards", { path: { run: id }, query: { limit: 200, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
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

export const node = (id: string) =>
  queryOptions({
    queryKey: ["cluster", "node", id],
    queryFn: ({ signal }) => call("get_node", { path: { name: id }, signal }),
    refetchInterval: 3000,
  });

// The checks look at databases and machines: they are made when somebody asks, not with each change.
export const doctor = () =>
  queryOptions({
    queryKey: ["doctor"],
    queryFn: ({ signal }) => call("check_cluster", { signal }),
    staleTime: 10_000,
  });

export interface FailoversWanted {
  type?: string | undefined;
  open?: boolean | undefined;
}

export const failovers = (wanted: FailoversWanted) =>
  infiniteQueryOptions({
    queryKey: ["failovers", wanted],
    queryFn: ({ signal, pageParam }) =>
      call("list_failovers", { query: { ...given(wanted), limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });

export const failover = (number: number) =>
  queryOptions({
    queryKey: ["failovers", number],
    queryFn: ({ signal }) => call("get_failover", { path: { number }, signal }),
  });

export const drillTypes = () =>
  queryOptions({
    queryKey: ["drills", "types"],
    queryFn: ({ signal }) => call("list_drill_types", { signal }),
    refetchInterval: 10_000,
  });

export const drills = () =>
  infiniteQueryOptions({
    queryKey: ["drills", "history"],
    queryFn: ({ signal, pageParam }) =>
      call("list_drills", { query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 3000,
  });

export const drill = (number: number) =>
  queryOptions({
    queryKey: ["drills", number],
    queryFn: ({ signal }) => call("get_drill", { path: { number }, signal }),
    refetchInterval: ({ state }) => (state.data?.ended_at ? false : 2000),
  });

/** What a drill would do. Nothing is broken by asking. */
export const drillPreview = (type: string, on: string, lasts: string, size: string) =>
  queryOptions({
    queryKey: ["drills", "preview", type, on, lasts, size],
    queryFn: ({ signal }) => call("preview_drill", { body: { type, on, for: lasts, size }, signal }),
    enabled: on !== "",
    retry: false,
  });

export const policies = () =>
  queryOptions({ queryKey: ["policies"], queryFn: ({ signal }) => call("get_policies", { signal }) });

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

export const locks = () =>
  infiniteQueryOptions({
    queryKey: ["locks"],
    queryFn: ({ signal, pageParam }) =>
      call("list_locks", { query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 3000,
  });

/** One lock with the order in which to take it, and the deadlocks that were broken at it. */
export const lock = (name: string, namespace: string) =>
  queryOptions({
    queryKey: ["locks", namespace, name],
    queryFn: async ({ signal }) => {
      const noted = { topic: "cluster", subject: name, namespace, limit: 50 };
      const [found, events] = await Promise.all([
        call("get_lock", { path: { name }, query: { namespace }, signal }),
        call("list_journal", { query: noted, signal }),
      ]);
      return { ...found, deadlocks: events.items.filter((event) => event.kind === "lock.deadlock") };
    },
    refetchInterval: 3000,
  });

export const calendars = () =>
  queryOptions({ queryKey: ["calendars"], queryFn: ({ signal }) => call("list_calendars", { signal }) });

export const calendar = (name: string) =>
  queryOptions({
    queryKey: ["calendars", name],
    queryFn: ({ signal }) => call("get_calendar", { path: { name }, signal }),
  });

export const backfills = (job = "") =>
  infiniteQueryOptions({
    queryKey: ["backfills", job],
    queryFn: ({ signal, pageParam }) =>
      call("list_backfills", { query: { job, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 3000,
  });

export const tokens = (all: boolean) =>
  queryOptions({
    queryKey: ["tokens", all],
    queryFn: ({ signal }) => call("list_tokens", { query: { all }, signal }),
    placeholderData: keepPreviousData,
  });

export const views = () =>
  queryOptions({ queryKey: ["views"], queryFn: ({ signal }) => call("list_views", { signal }) });

export const settings = () =>
  queryOptions({ queryKey: ["settings"], queryFn: ({ signal }) => call("get_settings", { signal }) });

export const limits = () =>
  infiniteQueryOptions({
    queryKey: ["limits"],
    queryFn: ({ signal, pageParam }) =>
      call("list_limits", { query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 3000,
  });

/** A named limit, or that of a group or namespace. */
export const limit = (name: string, namespace: string | undefined, kind: string | undefined) =>
  queryOptions({
    queryKey: ["limits", kind ?? "named", namespace ?? "", name],
    queryFn: ({ signal }) => {
      if (kind === "group" || kind === "namespace") {
        return call("get_scope_limit", { path: { kind, name }, signal });
      }
      return call("get_limit", { path: { name }, query: given({ namespace }), signal });
    },
    refetchInterval: 3000,
  });
