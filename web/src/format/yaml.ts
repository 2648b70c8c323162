/// Definitions of jobs as YAML, the way a file of jobs is written; and back.
import { parse, stringify, YAMLParseError } from "yaml";

/** Without what is not set: a file says only what differs from the defaults. Words like `on` stay words for any reader. */
export function toYaml(value: unknown): string {
  return stringify(withoutNulls(value), { version: "1.1", lineWidth: 100 });
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutNulls(one)]));
}

export type Read = { value: Record<string, unknown> } | { line: number; says: string };

/** What is written, or the line where it stops being YAML. */
export function fromYaml(text: string): Read {
  try {
    const value: unknown = parse(text, { version: "1.2", maxAliasCount: 0 }) ?? {};
    if (typeof value !== "object" || Array.isArray(value)) return { line: 1, says: "name: value" };
    return { value: value as Record<string, unknown> };
  } catch (error) {
    const line = error instanceof YAMLParseError ? (error.linePos?.[0].line ?? 1) : 1;
    const says = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return { line, says };
  }
}
