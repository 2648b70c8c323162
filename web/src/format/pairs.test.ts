import { expect, test } from "vitest";
import { alignedLines, differences } from "./pairs.ts";

const line = (text: string) => `2026-11-18T04:00:00.000Z  INFO  ${text}`;
const shown = (one: string[], other: string[]) =>
  alignedLines(one.map(line), other.map(line)).map(
    (pair) => `${pair.one?.text ?? "·"}|${pair.other?.text ?? "·"}|${pair.isSame ? "=" : "≠"}`,
  );

test("fields that differ are named by their paths, those that are alike are left out", () => {
  const found = differences(
    { day: "01", deep: { a: [1, 2], b: 1 } },
    { day: "01", deep: { a: [1, 3], c: 1 } },
  );
  expect(found).toEqual([
    { path: "deep.a.1", before: 2, after: 3 },
    { path: "deep.b", before: 1, after: undefined },
    { path: "deep.c", before: undefined, after: 1 },
  ]);
  expect(differences(null, null)).toEqual([]);
  expect(differences("a", "b")).toEqual([{ path: "–", before: "a", after: "b" }]);
});

test("lines that both logs have stand beside each other, others alone", () => {
  expect(shown(["begin", "retry", "end"], ["begin", "end", "late"])).toEqual([
    "begin|begin|=",
    "retry|·|≠",
    "end|end|=",
    "·|late|≠",
  ]);
});

test("a line that differs only in its figures is the same line with another content", () => {
  expect(shown(["loaded 12 rows"], ["loaded 4000 rows"])).toEqual(["loaded 12 rows|loaded 4000 rows|≠"]);
  expect(shown(["order 9f3c1a2b"], ["order 77aa00ff"])).toEqual(["order 9f3c1a2b|order 77aa00ff|≠"]);
});

test("a log that is empty leaves the other alone", () => {
  expect(shown([], ["only"])).toEqual(["·|only|≠"]);
  expect(shown([], [])).toEqual([]);
});
