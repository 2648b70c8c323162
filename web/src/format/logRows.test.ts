import { expect, test } from "vitest";
import { type LogRow, rowsOf } from "./logRows.ts";

const lines = (...texts: string[]) => texts.map((text, at) => ({ text, position: `1:${at}` }));
const shown = (rows: LogRow<{ text: string }>[]) =>
  rows.map(({ line, fold }) => line?.text ?? `${fold?.isOpen ? "v" : ">"} ${fold?.frames}`);
const NONE = new Set<string>();

const PYTHON = lines(
  "2026-11-16T06:00:00.000Z  ERROR  failed",
  "Traceback (most recent call last):",
  '  File "a.py", line 1, in run',
  "    go()",
  '  File "b.py", line 2, in go',
  "    work()",
  "    ~~~~^^",
  '  File "c.py", line 3, in work',
  "    raise ValueError",
  "ValueError",
);

test("of a Python traceback the last frame is shown, where the error is; the others are folded", () => {
  expect(shown(rowsOf(PYTHON, NONE, ""))).toEqual([
    "2026-11-16T06:00:00.000Z  ERROR  failed",
    "Traceback (most recent call last):",
    "> 2",
    '  File "c.py", line 3, in work',
    "    raise ValueError",
    "ValueError",
  ]);
});

test("a fold opens by its place, or when the address names a line in it", () => {
  for (const rows of [rowsOf(PYTHON, new Set(["1:2"]), ""), rowsOf(PYTHON, NONE, "1:5")]) {
    expect(rows).toHaveLength(PYTHON.length + 1);
    expect(shown(rows)[2]).toBe("v 2");
  }
  expect(rowsOf(PYTHON, NONE, "1:8")).toHaveLength(6);
});

test("of a trace that begins with the place of the error its first frame is shown", () => {
  const java = lines(
    "java.io.IOException: no file",
    "\tat a.B.c(B.java:1)",
    "\tat a.D.e(D.java:2)",
    "\tat a.F.g(F.java:3)",
    "done",
  );
  expect(shown(rowsOf(java, NONE, ""))).toEqual([
    "java.io.IOException: no file",
    "\tat a.B.c(B.java:1)",
    "> 2",
    "done",
  ]);
});

test("lines of another shard end a trace", () => {
  const rows = rowsOf(
    lines(
      '#01   File "a.py", line 1, in a',
      '#01   File "b.py", line 2, in b',
      '#01   File "c.py", line 3, in c',
      "#02   more",
    ),
    NONE,
    "",
  );
  expect(shown(rows)).toEqual(["> 2", '#01   File "c.py", line 3, in c', "#02   more"]);
});

test("what is indented and no trace, and a trace of one frame or two, stay as they are", () => {
  const plain = lines(
    "{",
    '  "a": 1,',
    '  "b": 2,',
    '  "c": 3',
    "}",
    ...PYTHON.slice(4).map((line) => line.text),
  );
  expect(rowsOf(plain, NONE, "")).toHaveLength(plain.length);
});
