import { describe, expect, test } from "vitest";
import { countOf, firesIn, isUsedUp, isZone, nextOf, PLANNED_MAX, zonesOf } from "./fires.ts";

describe("the zones of the next instants", () => {
  test.each([
    ["Asia/Shanghai", undefined, "Asia/Shanghai", ["Asia/Shanghai", "UTC"]],
    ["UTC", undefined, "Europe/Berlin", ["UTC", "Europe/Berlin"]],
    ["UTC", undefined, "UTC", ["UTC"]],
    ["Asia/Shanghai", "Europe/Berlin", "Asia/Shanghai", ["Asia/Shanghai", "Europe/Berlin"]],
    ["Asia/Shanghai", "Asia/Shanghai", "Asia/Shanghai", ["Asia/Shanghai", "UTC"]],
    ["Asia/Shanghai", "Europe/Ber", "Asia/Shanghai", ["Asia/Shanghai", "UTC"]],
    ["Asia/Shanghai", 8, "Asia/Shanghai", ["Asia/Shanghai", "UTC"]],
  ])("chosen %s, of the schedule %s, of the browser %s: %j", (chosen, own, browser, zones) => {
    expect(zonesOf(chosen, own, browser)).toEqual(zones);
  });

  test("a name that is still being written is no zone", () => {
    expect(["", "Asia/", "Asia/Shanghai", "utc", null].map(isZone)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("the next instants", () => {
  test("stand on both clocks, each with its day", () => {
    expect(firesIn(["2026-11-16T18:00:00Z"], ["Asia/Shanghai", "UTC"])).toEqual([
      { iso: "2026-11-16T18:00:00Z", shown: ["2026-11-17 02:00:00", "2026-11-16 18:00:00"] },
    ]);
  });

  test("are five at most, to the second, in their order", () => {
    const instants = Array.from({ length: 9 }, (_, minute) => `2026-11-16T06:0${minute}:00.250Z`);
    const fires = firesIn(instants, ["UTC"]);
    expect(fires.map((fire) => fire.iso)).toEqual(instants.slice(0, 5));
    expect(fires[4]?.shown).toEqual(["2026-11-16 06:04:00"]);
    expect(firesIn([], ["UTC"])).toEqual([]);
  });

  test("keep their wall clock over a change of it, and the other clock tells the two hours apart", () => {
    const daily = firesIn(["2026-10-24T00:30:00Z", "2026-10-26T01:30:00Z"], ["Europe/Berlin", "UTC"]);
    expect(daily.map((fire) => fire.shown[0])).toEqual(["2026-10-24 02:30:00", "2026-10-26 02:30:00"]);
    const hourly = firesIn(["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"], ["Europe/Berlin", "UTC"]);
    expect(hourly.map((fire) => fire.shown)).toEqual([
      ["2026-10-25 02:30:00", "2026-10-25 00:30:00"],
      ["2026-10-25 02:30:00", "2026-10-25 01:30:00"],
    ]);
  });

  test("behind a gap of the clock show the hour behind it", () => {
    expect(firesIn(["2026-03-29T01:00:00Z"], ["Europe/Berlin"])[0]?.shown).toEqual(["2026-03-29 03:00:00"]);
  });
});

test("the next instants begin with the job's own, whatever was planned before it moved on", () => {
  const [first, second, third, fourth] = [18, 19, 20, 21].map((day) => `2026-11-${day}T02:00:00Z`) as [
    string,
    string,
    string,
    string,
  ];
  expect(nextOf(first, [first, second, third])).toEqual([first, second, third]);
  expect(nextOf("2026-11-19T02:00:00.000Z", [first, second, third, fourth])).toEqual([
    "2026-11-19T02:00:00.000Z",
    third,
    fourth,
  ]);
  expect(nextOf(first, [])).toEqual([first]);
  expect(nextOf(null, [first])).toEqual([]);
});

test("more instants are asked for when fewer than three of the planned ones are left, unless these were all", () => {
  const planned = Array.from({ length: PLANNED_MAX }, (_, n) =>
    new Date(Date.UTC(2026, 10, 18, 2, 0, n)).toISOString(),
  );
  const at = (n: number) => planned[n] ?? null;
  expect(isUsedUp(at(0), planned)).toBe(false);
  expect(isUsedUp(at(PLANNED_MAX - 3), planned)).toBe(false);
  expect(isUsedUp(at(PLANNED_MAX - 2), planned)).toBe(true);
  expect(isUsedUp(at(PLANNED_MAX - 2), planned.slice(1))).toBe(false);
  expect(isUsedUp(null, planned)).toBe(false);
  expect(isUsedUp(at(0), [])).toBe(false);
});

test("a range of skipped instants counts as many as it has", () => {
  const fires = [
    { decision: "SKIPPED", count: 1000 },
    { decision: "SKIPPED", count: null },
    { decision: "CREATED", count: null },
  ] as const;
  expect(countOf(fires, "SKIPPED")).toBe(1001);
  expect(countOf(fires, "CREATED")).toBe(1);
  expect(countOf(fires, "PLANNED")).toBe(0);
});
