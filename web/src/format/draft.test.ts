import { expect, test } from "vitest";
import { fieldOf, scheduleKindOf, withField } from "./draft.ts";

const TEXT = `# who: payments
run:
  python: jobs:settle
schedule:
  cron: 0 2 * * *   # at night
  tz: Asia/Shanghai
owner: payments
`;

test("a field is set where it stands, and comments and order stay", () => {
  const changed = withField(TEXT, ["schedule", "cron"], "0 3 * * *");
  expect(changed).toContain("cron: 0 3 * * *");
  expect(changed).toContain("# who: payments");
  expect(changed.indexOf("run:")).toBeLessThan(changed.indexOf("owner:"));
  expect(fieldOf(changed, ["schedule", "cron"])).toBe("0 3 * * *");
  expect(fieldOf(changed, ["schedule", "tz"])).toBe("Asia/Shanghai");
});

test("a field is taken out, and with its last field what it stood in", () => {
  const without = withField(TEXT, ["schedule", "tz"], undefined);
  expect(fieldOf(without, ["schedule"])).toEqual({ cron: "0 2 * * *" });
  expect(fieldOf(withField(without, ["schedule", "cron"], undefined), ["schedule"])).toBeUndefined();
  expect(withField(TEXT, ["nothing"], undefined)).toBe(withField(TEXT, ["owner"], "payments"));
});

test("a new field and an empty text are begun", () => {
  expect(withField("", ["run"], { python: "jobs:tick" })).toBe("run:\n  python: jobs:tick\n");
  expect(fieldOf(withField(TEXT, ["retries", "max"], 3), ["retries", "max"])).toBe(3);
});

test("what is no YAML is neither read nor changed", () => {
  expect(withField("run: [a", ["owner"], "me")).toBe("run: [a");
  expect(fieldOf("- a", ["owner"])).toBeUndefined();
});

test("the form knows which schedules it can show", () => {
  const kinds = [undefined, "every 5m", { cron: "* * * * *" }, { every: "5m" }, { daily: "02:00" }, ["a"]];
  expect(kinds.map(scheduleKindOf)).toEqual(["none", "words", "cron", "every", "other", "other"]);
});
