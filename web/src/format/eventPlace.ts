/// Where the subject of an event is looked at: its own page, or the list that it stands in.
import type { EventOut } from "../api/types.ts";
import {
  alertPath,
  checkPath,
  failoverPath,
  jobPath,
  limitPath,
  lockPath,
  nodePath,
  runPath,
} from "./paths.ts";

type Told = Pick<EventOut, "kind" | "topic" | "subject" | "namespace" | "data">;

/** By the first word of its kind; null: there is no such place. What was taken away has none of its own. */
const PLACES: Partial<Record<string, (event: Told) => string | null>> = {
  alert: ({ data }) => numbered(data.alert, alertPath) ?? "/alerts",
  backfill: () => "/backfills",
  calendar: ({ kind, subject }) => ofList("/calendars", kind === "calendar.deleted" ? "" : subject),
  channel: () => "/alerts?tab=channels",
  check: ({ kind, subject, namespace }) =>
    namespace === null || kind === "check.removed" ? null : checkPath({ name: subject, namespace }),
  drill: ({ data }) => numbered(data.drill, (id) => `/nodes?tab=drills&id=${id}`),
  failover: ({ data }) => numbered(data.failover, failoverPath),
  health: () => "/nodes?tab=health",
  job: ({ subject, namespace }) => (namespace === null ? null : jobPath({ name: subject, namespace })),
  leader: ({ subject }) => nodePath(subject),
  limit: ({ kind, subject, data }) =>
    kind === "limit.removed"
      ? "/limits"
      : limitPath({ name: subject, kind: data.of, namespace: data.namespace }),
  lock: ({ subject, namespace }) => lockPath({ name: subject, namespace: namespace ?? "default" }),
  node: ({ subject }) => nodePath(subject),
  policy: () => "/nodes?tab=policy",
  report_schedule: () => "/reports?tab=schedules",
  rule: () => "/alerts?tab=rules",
  run: ({ subject }) => (subject.startsWith("r-") ? runPath(subject) : null),
  silence: () => "/alerts?tab=silences",
};

export function eventPlace(event: Told): string | null {
  if (event.subject === "") return null;
  const family = event.kind.split(".")[0] ?? "";
  return Object.hasOwn(PLACES, family) ? (PLACES[family]?.(event) ?? null) : null;
}

function numbered(id: unknown, path: (id: number) => string): string | null {
  return typeof id === "number" ? path(id) : null;
}

function ofList(list: string, name: string): string {
  return name === "" ? list : `${list}?name=${encodeURIComponent(name)}`;
}
