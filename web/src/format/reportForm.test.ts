import { expect, test } from "vitest";
import { changeOf, periodBeside, scheduleDocument, scheduleForm } from "./reportForm.ts";

test("a schedule comes out of its form as it went in", () => {
  const weekly = {
    kind: "weekly",
    at: "07:30",
    weekday: "tue",
    timezone: "Europe/Berlin",
    to: ["mail"],
    language: "zh",
    on: false,
  };
  expect(scheduleDocument(scheduleForm(weekly, "UTC"))).toEqual(weekly);
  const daily = { kind: "daily", at: "08:00", timezone: "UTC", to: ["mail"] };
  expect(scheduleDocument(scheduleForm(daily, "Asia/Shanghai"))).toEqual(daily);
});

test("a new one is of the zone on the screen", () => {
  expect(scheduleForm({}, "Asia/Shanghai")).toMatchObject({ kind: "daily", timezone: "Asia/Shanghai" });
});

test("the period beside another is a day or a week away, over the ends of months", () => {
  expect(periodBeside("daily", "2026-03-01", -1)).toBe("2026-02-28");
  expect(periodBeside("weekly", "2026-12-28", 1)).toBe("2027-01-04");
});

test("a change is said where there is one", () => {
  expect(changeOf(112, 100)).toBe("+12 %");
  expect(changeOf(50, 100)).toBe("−50 %");
  expect([changeOf(1, 0), changeOf(null, 3), changeOf(3, null), changeOf(3, 3)]).toEqual(["", "", "", ""]);
});
