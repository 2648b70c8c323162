import { expect, test } from "vitest";
import { EMPTY_RULE, ruleDocument, ruleForm } from "./ruleForm.ts";

const WHOLE = {
  when: "failed 2 of 3",
  of: { job: "settle*", group: "etl", tags: { team: "data" } },
  level: "critical",
  for: "5m",
  after: "2 in 24h",
  to: ["oncall"],
  remind: "4h",
  hours: { days: "mon-fri", from: "09:00", to: "18:00" },
  escalate: [{ after: "30m", to: ["boss"] }],
  do: { retry: 1 },
  runbook: "https://wiki.example/settle",
  on: false,
};

test("a rule comes out of its form as it went in", () => {
  expect(ruleDocument(ruleForm(WHOLE))).toEqual({ rule: WHOLE });
});

test("an empty field is not said", () => {
  expect(ruleDocument({ ...EMPTY_RULE, after: "3" })).toEqual({ rule: { when: "failed", after: 3 } });
});

test("a line that is no YAML is named", () => {
  expect(ruleDocument({ ...EMPTY_RULE, rest: "do: {retry: 1}\nhours: [" })).toHaveProperty("line");
});
