import { expect, test } from "vitest";
import { isGrave, readLine } from "./logLine.ts";

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
