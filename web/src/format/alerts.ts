/// Alerts put in order: by how grave they are, and what happened in the life of one.
import type { AlertOut, DeliveryOut } from "../api/types.ts";

export const LEVELS = ["critical", "warning", "info"] as const;
export type Level = (typeof LEVELS)[number];

export interface Sorted {
  /** What fires and is told, by level. */
  firing: Record<Level, AlertOut[]>;
  acknowledged: AlertOut[];
  /** What a silence keeps from being told. */
  silent: AlertOut[];
  /** Seen, but not yet for long or often enough. */
  pending: AlertOut[];
}

export function sorted(alerts: readonly AlertOut[]): Sorted {
  const found: Sorted = {
    firing: { critical: [], warning: [], info: [] },
    acknowledged: [],
    silent: [],
    pending: [],
  };
  for (const alert of alerts) placeOf(found, alert).push(alert);
  return found;
}

function placeOf(found: Sorted, alert: AlertOut): AlertOut[] {
  if (alert.state === "PENDING") return found.pending;
  if (alert.silence !== null) return found.silent;
  if (alert.state === "ACKNOWLEDGED") return found.acknowledged;
  return found.firing[alert.level as Level] ?? found.firing.info;
}

/** How many fire and are told: what the rail shows. */
export function firingCount(counts: Record<Level, number> | undefined): number {
  return counts ? counts.critical + counts.warning + counts.info : 0;
}

/** The run that shows the trouble: of what it touches first. */
export function runOf(alert: AlertOut): string | null {
  return alert.subjects[0]?.run ?? null;
}

export interface Moment {
  at: string;
  what: "began" | "fired" | "acked" | "resolved" | "notice";
  by: string;
  says: string;
  notice?: DeliveryOut;
}

/** The life of an alert, the first sign first. */
export function lifeOf(alert: AlertOut, notices: readonly DeliveryOut[]): Moment[] {
  const found: Moment[] = [{ at: alert.began_at, what: "began", by: alert.rule, says: "" }];
  if (alert.fired_at) found.push({ at: alert.fired_at, what: "fired", by: "", says: "" });
  for (const notice of notices) {
    found.push({ at: notice.created_at, what: "notice", by: notice.channel, says: notice.error, notice });
  }
  if (alert.acked_at) {
    found.push({ at: alert.acked_at, what: "acked", by: alert.acked_by ?? "", says: alert.ack_note });
  }
  if (alert.resolved_at) found.push({ at: alert.resolved_at, what: "resolved", by: "", says: "" });
  return found.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** What was seen, as pairs of a name and a text; what is empty is left out. */
export function evidenceOf(data: Record<string, unknown>): [name: string, value: string][] {
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== "" && value !== undefined)
    .map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ])
    .filter(([, text]) => text !== "{}" && text !== "[]");
}
