import { describe, expect, test } from "vitest";
import {
  type Box,
  brushed,
  closer,
  dotOf,
  lineOf,
  moved,
  placeOf,
  STEP_MS,
  spanOf,
  spanStart,
  stacked,
  stepAt,
} from "./figures.ts";

const FROM = "2026-11-16T00:00:00Z";
const box: Box = {
  fromMs: Date.parse(FROM),
  toMs: Date.parse("2026-11-17T00:00:00Z"),
  stepMs: STEP_MS.hour,
  width: 240,
  height: 100,
};

describe("a range of figures", () => {
  test("is one of those that can be chosen, a day otherwise", () => {
    expect(["7d", "1y", undefined, "", "toString", "2w"].map(spanOf)).toEqual([
      "7d",
      "1y",
      "24h",
      "24h",
      "24h",
      "24h",
    ]);
  });

  test("ends now", () => {
    expect(spanStart("1h", Date.parse("2026-11-16T06:30:00Z"))).toBe("2026-11-16T05:30:00.000Z");
    expect(spanStart("7d", Date.parse("2026-11-16T06:30:00Z"))).toBe("2026-11-09T06:30:00.000Z");
  });
});

describe("a step", () => {
  test("stands where its time is", () => {
    expect(placeOf(FROM, box)).toEqual({ x: 0, width: 10 });
    expect(placeOf("2026-11-16T23:00:00Z", box)).toEqual({ x: 230, width: 10 });
  });

  test("takes the whole width when it is the only one", () => {
    expect(placeOf(FROM, { ...box, toMs: box.fromMs })).toEqual({ x: 0, width: 240 });
  });
});

describe("a bar", () => {
  test("has its parts on top of each other, and none for nothing", () => {
    expect(stacked([6, 0, 2], 10, 100)).toEqual([
      { part: 0, y: 40, height: 60 },
      { part: 2, y: 20, height: 20 },
    ]);
    expect(stacked([0, 0, 0], 10, 100)).toEqual([]);
  });

  test("shows one failure among a thousand", () => {
    expect(stacked([999, 1], 1000, 100)[1]).toEqual({ part: 1, y: 0, height: 1 });
  });
});

describe("a line", () => {
  test("goes through the middles of the steps that have a value", () => {
    const values = [
      { start: FROM, value: 1 },
      { start: "2026-11-16T01:00:00Z", value: null },
      { start: "2026-11-16T02:00:00Z", value: 4 },
    ];
    expect(lineOf(values, 4, box)).toBe("M5 75L25 0");
  });

  test("of one value is a dot, of none is nothing, and zeros lie on the ground", () => {
    expect(lineOf([{ start: FROM, value: 2 }], 4, box)).toBe("M5 50h0.01");
    expect(lineOf([{ start: FROM, value: null }], 0, box)).toBe("");
    expect(lineOf([{ start: FROM, value: 0 }], 0, box)).toBe("M5 100h0.01");
  });
});

const HOUR = { fromMs: Date.parse("2026-11-18T04:00:00Z"), toMs: Date.parse("2026-11-18T05:00:00Z") };

test("what is brushed is whole minutes, in either direction, and at least one", () => {
  const quarter = { from: "2026-11-18T04:15:00.000Z", to: "2026-11-18T04:30:00.000Z" };
  expect(brushed(HOUR, 0.25, 0.5)).toEqual(quarter);
  expect(brushed(HOUR, 0.5, 0.25)).toEqual(quarter);
  expect(brushed(HOUR, 0.5, 0.501)).toEqual({
    from: "2026-11-18T04:30:00.000Z",
    to: "2026-11-18T04:31:00.000Z",
  });
  expect(brushed(HOUR, -1, 2)).toEqual({ from: "2026-11-18T04:00:00.000Z", to: "2026-11-18T05:00:00.000Z" });
});

test("a range goes earlier and later by half of its length, and closer to its newer half", () => {
  const range = { from: "2026-11-18T04:00:00.000Z", to: "2026-11-18T05:00:00.000Z" };
  expect(moved(range, -1)).toEqual({ from: "2026-11-18T03:30:00.000Z", to: "2026-11-18T04:30:00.000Z" });
  expect(moved(moved(range, -1), 1)).toEqual(range);
  expect(closer(range)).toEqual({ from: "2026-11-18T04:30:00.000Z", to: "2026-11-18T05:00:00.000Z" });
});

test("a press on a chart means the step below it", () => {
  const at = Date.parse("2026-11-18T04:30:12Z");
  expect(stepAt(at, STEP_MS.hour)).toEqual({
    from: "2026-11-18T04:00:00.000Z",
    to: "2026-11-18T05:00:00.000Z",
  });
});

test("a dot stands where its run began and as high as it took long", () => {
  expect(dotOf(Date.parse("2026-11-18T04:30:00Z"), 5, 10, HOUR)).toEqual({ x: 0.5, y: 0.5 });
  expect(dotOf(Date.parse("2026-11-18T03:00:00Z"), 20, 10, HOUR)).toEqual({ x: 0, y: 1 });
});
