/// What the page of checks reads. Every key begins with `checks`.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";

// A ping that is as expected is no change on the stream: lists are read anew by time, too.
const HEARD_MS = 10_000;

export const checks = (wanted: { q?: string | undefined; state?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: ["checks", "list", wanted],
    queryFn: ({ signal, pageParam }) => {
      const { q = "", state = "" } = wanted;
      return call("list_checks", { query: { q, state, limit: 100, cursor: pageParam }, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: HEARD_MS,
  });

export const check = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["checks", "one", namespace, name],
    queryFn: ({ signal }) => call("get_check", { path: { name }, query: { namespace }, signal }),
    refetchInterval: HEARD_MS,
  });

export const pings = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["checks", "pings", namespace, name],
    queryFn: ({ signal }) =>
      call("list_check_pings", { path: { name }, query: { namespace, limit: 100 }, signal }),
    refetchInterval: HEARD_MS,
  });
