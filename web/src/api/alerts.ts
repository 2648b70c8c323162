/// What the pages of alerts read. Every key begins with `alerts`: what changes alerts, rules, channels or silences makes all stale.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";

export interface AlertsWanted {
  /** Small words with commas between them. */
  state: string;
  level?: string | undefined;
  rule?: string | undefined;
  job?: string | undefined;
  namespace?: string | undefined;
}

export const OPEN = "firing,acknowledged,pending";
export const OVER = "resolved";

export const alerts = (wanted: AlertsWanted) =>
  infiniteQueryOptions({
    queryKey: ["alerts", "list", wanted],
    queryFn: ({ signal, pageParam }) => {
      const { state, level = "", rule = "", job = "", namespace = "" } = wanted;
      const query = { state, level, rule, job, namespace, limit: 100, cursor: pageParam };
      return call("list_alerts", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const alert = (number: number) =>
  queryOptions({
    queryKey: ["alerts", "one", number],
    queryFn: ({ signal }) => call("get_alert", { path: { number }, signal }),
  });

/** What was sent of one alert. */
export const notices = (number: number) =>
  queryOptions({
    queryKey: ["alerts", "notices", number],
    queryFn: ({ signal }) => call("list_deliveries", { query: { alert: number, limit: 100 }, signal }),
    refetchInterval: 5000,
  });

export const rules = () =>
  queryOptions({ queryKey: ["alerts", "rules"], queryFn: ({ signal }) => call("list_rules", { signal }) });

export const channels = () =>
  queryOptions({
    queryKey: ["alerts", "channels"],
    queryFn: ({ signal }) => call("list_channels", { signal }),
    refetchInterval: 10_000,
  });

export const channelKinds = () =>
  queryOptions({
    queryKey: ["channel kinds"],
    queryFn: ({ signal }) => call("list_channel_kinds", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const silences = (ended: boolean) =>
  queryOptions({
    queryKey: ["alerts", "silences", ended],
    queryFn: ({ signal }) => call("list_silences", { query: { ended }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
