import { expect, test } from "vitest";
import { beginning, gapIn, isGrave, readLine } from "./logLine.ts";

test("a line of a log is taken apart", () => {
  expect(readLine("2026-11-16T06:00:00.000Z  INFO  settled batch=41")).toEqual({
    shard: "",
    at: "2026-11-16T06:00:00.000Z",
    level: "INFO",
    text: "settled batch=41",
  });
});

test("a line of a shard says which, whatever its text looks like", () => {
  const line = readLine("#07 2026-11-16T06:00:00.000Z  ERROR  #08 2026-11-16T06:00:01.000Z  INFO  x");
  expect(line).toMatchObject({ shard: "07", level: "ERROR", text: "#08 2026-11-16T06:00:01.000Z  INFO  x" });
});

test("what a program printed stays as it is", () => {
  for (const raw of ["", "plain", "2026-11-16 06:00:00 INFO x", "  at frame 3"]) {
    expect(readLine(raw)).toEqual({ shard: "", at: "", level: "", text: raw });
  }
});

test("errors are grave, warnings are not", () => {
  expect(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", ""].filter(isGrave)).toEqual([
    "ERROR",
    "CRITICAL",
  ]);
});

test("the beginning of a log has the form of its positions", () => {
  expect(beginning("2:4096")).toBe("1:0");
  expect(beginning("1763272800000000:17:1:4096")).toBe("0:0:1:0");
});

test.each([
  ["… 4096 bytes of the log are missing here", { kind: "missing", bytes: 4096, shard: "", why: "" }],
  ["#07 … 12 bytes are not kept; what follows is the end", { kind: "cut", bytes: 12, shard: "07", why: "" }],
  [
    "… truncated: it is full; from here on only the end is kept",
    { kind: "full", bytes: 0, shard: "", why: "it is full" },
  ],
  ["… and so on", null],
  ["2026-11-16T06:00:00.000Z  INFO  … 4096 bytes of the log are missing here", null],
])("a gap is known by its words alone: %s", (raw, gap) => {
  expect(gapIn(raw)).toEqual(gap);
});
