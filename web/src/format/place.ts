/// Where a job runs and how often its triggers count, as a form shows it: lists of labels on one line, and the short and
/// the long form of routes and windows. What a form cannot show stands in the YAML alone: then the text is null.

export const ROUTES = [
  "any",
  "first",
  "last",
  "round",
  "weighted_round",
  "random",
  "consistent_hash",
  "sticky",
  "least_frequently_used",
  "least_recently_used",
  "failover",
  "busyover",
  "least_running",
  "least_load",
  "fastest",
] as const;
export type Route = (typeof ROUTES)[number];

export const WAITING_MAX = 10_000;
export const RUNNING_MAX = 100_000;
export const BURST_MAX = 10_000;
const WEIGHED = /^(.*)\*(\d+)$/s;

type Labels = Record<string, string>;
type Wishes = Record<string, string | { value: string; weight: number }>;

/** `gpu=yes, zone=cn` as a mapping; undefined when nothing is written, null when it is no list of labels. */
export function readLabels(text: string): Labels | undefined | null {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length === 0) return undefined;
  const found: Labels = {};
  for (const part of parts) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim();
    if (at < 0 || name === "" || name in found) return null;
    found[name] = part.slice(at + 1).trim();
  }
  return found;
}

export function writeLabels(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  if (!isMapping(value) || Object.values(value).some((one) => typeof one !== "string")) return null;
  const text = Object.entries(value)
    .map(([name, one]) => `${name}=${String(one)}`)
    .join(", ");
  return isSame(readLabels(text) ?? {}, value) ? text : null;
}

/** `disk=ssd*5, zone=cn` as wishes with weights; what has none counts as usual. */
export function readWishes(text: string): Wishes | undefined | null {
  const labels = readLabels(text);
  if (!labels) return labels;
  const found: Wishes = {};
  for (const [name, written] of Object.entries(labels)) {
    const [, value, weight] = WEIGHED.exec(written) ?? [];
    found[name] = value === undefined ? written : { value: value.trim(), weight: Number(weight) };
  }
  return found;
}

export function writeWishes(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  if (!isMapping(value)) return null;
  const text = Object.entries(value)
    .map(([name, wish]) => {
      if (!isMapping(wish)) return `${name}=${String(wish)}`;
      return `${name}=${String(wish.value)}${wish.weight === undefined ? "" : `*${String(wish.weight)}`}`;
    })
    .join(", ");
  return isSame(readWishes(text) ?? {}, value) ? text : null;
}

type Counts = Record<string, number>;

/** `settle-db=4, gateway=2` as numbers; null when one of them is no whole number from 1 on. */
export function readCounts(text: string): Counts | undefined | null {
  const labels = readLabels(text);
  if (!labels) return labels;
  const isWritten = Object.values(labels).every((count) => /^[1-9]\d*$/.test(count));
  if (!isWritten) return null;
  return Object.fromEntries(Object.entries(labels).map(([name, count]) => [name, Number(count)]));
}

export function writeCounts(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  if (!isMapping(value)) return null;
  const text = Object.entries(value)
    .map(([name, count]) => `${name}=${String(count)}`)
    .join(", ");
  return isSame(readCounts(text) ?? {}, value) ? text : null;
}

/** The parts of a field that is one text, or a mapping of texts with `main` as its first; null: it is neither. */
export function partsOf(value: unknown, main: string, names: readonly string[]): Labels | null {
  if (value === undefined || value === null) return {};
  if (!isMapping(value)) return Array.isArray(value) ? null : { [main]: String(value) };
  const known = Object.keys(value).every((name) => name === main || names.includes(name));
  if (!known || Object.values(value).some((one) => typeof one === "object" && one !== null)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one ?? "")]));
}

/** The other way: as short as it can be said; undefined when nothing is written. */
export function fromParts(parts: Labels, main: string): string | Labels | undefined {
  const written = Object.entries(parts).filter(([, one]) => one !== "");
  if (written.length === 0) return undefined;
  const only = written.length === 1 ? written[0] : undefined;
  return only?.[0] === main ? only[1] : Object.fromEntries(written);
}

/** Whether `5/1h` has the form of a rate. The server looks at the time. */
export function isRate(text: string): boolean {
  return /^[1-9]\d{0,4}\/\S+$/.test(text);
}

/** Whether a limit is a whole number in its bounds. */
export function isWhole(value: unknown, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max;
}

export interface FieldError {
  path: string;
  message: string;
}

/** What the server says about one field: at it, or at something in it. `alone`: not what is in it. */
export function saysAt(errors: readonly FieldError[], path: string, alone = false): string | undefined {
  const says = errors
    .filter((error) => error.path === path || (!alone && error.path.startsWith(`${path}.`)))
    .map((error) => error.message);
  return says.length > 0 ? says.join(" ") : undefined;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (!isMapping(one) || !isMapping(other)) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
