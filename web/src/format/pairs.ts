/// Two things beside each other: values field by field, logs line by line. Pure functions.
import { type LogLine, readLine } from "./logLine.ts";

export interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

/** The fields of two values that differ, each by its path: `items.0.name`. */
export function differences(before: unknown, after: unknown, path = ""): Difference[] {
  if (isPlain(before) && isPlain(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], path ? `${path}.${name}` : name));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path: path || "–", before, after }];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** One row of two logs: the line of each, or of one alone. `isSame`: both say the same. */
export interface LinePair {
  one: LogLine | null;
  other: LogLine | null;
  isSame: boolean;
}

/** Lines that belong together, in the order of both logs. Lines that differ only in their numbers belong together. */
export function alignedLines(one: readonly string[], other: readonly string[]): LinePair[] {
  const left = one.map(readLine);
  const right = other.map(readLine);
  const lengths = commonLengths(left.map(shapeOf), right.map(shapeOf));
  const pairs: LinePair[] = [];
  let at = 0;
  let beside = 0;
  while (at < left.length || beside < right.length) {
    const here = left[at] ?? null;
    const there = right[beside] ?? null;
    if (here && there && shapeOf(here) === shapeOf(there)) {
      pairs.push({ one: here, other: there, isSame: here.text === there.text });
      at += 1;
      beside += 1;
    } else if (here && (!there || lengthAt(lengths, at + 1, beside) >= lengthAt(lengths, at, beside + 1))) {
      pairs.push({ one: here, other: null, isSame: false });
      at += 1;
    } else {
      pairs.push({ one: null, other: there, isSame: false });
      beside += 1;
    }
  }
  return pairs;
}

/** What a line says without its figures and ids: these differ from run to run. */
function shapeOf(line: LogLine): string {
  return `${line.level} ${line.text.replace(/\b[0-9a-f]{6,}\b|\d+/gi, "0")}`;
}

/** How many lines two logs have in common from each pair of places on. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let at = left.length - 1; at >= 0; at--) {
    for (let beside = right.length - 1; beside >= 0; beside--) {
      const isCommon = left[at] === right[beside];
      const longest = isCommon
        ? lengthAt(lengths, at + 1, beside + 1) + 1
        : Math.max(lengthAt(lengths, at + 1, beside), lengthAt(lengths, at, beside + 1));
      (lengths[at] as Uint16Array)[beside] = longest;
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly Uint16Array[], at: number, beside: number): number {
  return lengths[at]?.[beside] ?? 0;
}
