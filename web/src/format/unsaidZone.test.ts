import { expect, test } from "vitest";
import { unsaidZone } from "./unsaidZone.ts";

test.each([
  ["every day at 01:30", ["UTC"], "Asia/Shanghai", "UTC"],
  ["every day at 01:30", ["UTC"], "UTC", null],
  ["every day at 02:00, Asia/Shanghai", ["Asia/Shanghai"], "Europe/Berlin", null],
  ["every 5 minutes", [], "Asia/Shanghai", null],
  ["every day, UTC; and at 09:00, Asia/Shanghai", ["Asia/Shanghai", "UTC"], "Europe/Berlin", null],
  [null, [], "Europe/Berlin", null],
])("%s of %j, on a page of %s: %s", (schedule, zones, shown, said) => {
  expect(unsaidZone({ schedule, zones }, shown)).toBe(said);
});
