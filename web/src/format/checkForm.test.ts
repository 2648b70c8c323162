import { expect, test } from "vitest";
import { checkDocument, checkForm, emptyCheck } from "./checkForm.ts";

const WHOLE = {
  cron: "0 2 * * *",
  timezone: "Europe/Berlin",
  grace: "30m",
  longest: "2h",
  owner: "ops",
  description: "the dump of the shop",
  runbook: "https://wiki.example/backup",
  level: "critical",
  to: ["oncall"],
  tags: { team: "data" },
};

test("a check comes out of its form as it went in", () => {
  expect(checkDocument(checkForm(WHOLE, "UTC"))).toEqual(WHOLE);
  expect(checkDocument(checkForm({ every: "10m" }, "UTC"))).toEqual({ every: "10m" });
});

test("a cron without a zone is one of UTC, whatever the screen shows", () => {
  expect(checkForm({ cron: "0 2 * * *" }, "Asia/Shanghai").timezone).toBe("UTC");
});

test("an interval has no zone, and an empty field is not said", () => {
  expect(checkDocument(emptyCheck("Asia/Shanghai"))).toEqual({ every: "1d" });
});

test("tags that are no labels are seen", () => {
  expect(checkDocument({ ...emptyCheck("UTC"), tags: "team" })).toBe(null);
});
