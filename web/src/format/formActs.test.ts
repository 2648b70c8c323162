import { expect, test } from "vitest";
import { channelAct, checkAct, ruleAct, tokenAct } from "./formActs.ts";
import { asAct, asPython } from "./snippets.ts";

const asked = { method: "PUT", path: "/api/v1/x" };
const SERVER = "http://h:7171";
const last = (text: string) => text.split("client.").at(-1);

test("a check is made by a command, with its channels, its tags and the reason", () => {
  const check = {
    cron: "0 2 * * *",
    timezone: "UTC",
    grace: "30m",
    to: ["oncall", "mail"],
    tags: { team: "a b" },
  };
  const act = checkAct(check, "shop", { name: "backup", asked, version: 0, reason: "new disk" });
  expect(asAct(act)).toBe(
    "foliot check create backup --cron '0 2 * * *' --timezone UTC --grace 30m --to oncall --to mail --tag 'team=a b' --reason 'new disk' -n shop",
  );
  expect(last(asPython(act.method ?? { name: "", given: [] }, SERVER))).toMatch(
    /^checks\.create\("backup", \{"cron": .*\}, reason="new disk", namespace="shop"\)$/,
  );
});

test("what is changed has no command, but says in Python which version was seen", () => {
  const act = checkAct({ every: "1d" }, "default", { name: "backup", asked, version: 3 });
  expect(asAct(act)).toBeUndefined();
  expect(last(asPython(act.method ?? { name: "", given: [] }, SERVER))).toBe(
    'checks.put("backup", {"every": "1d"}, if_version=3)',
  );
  expect(asAct(ruleAct({ when: "failed" }, "default", { name: "r", asked, version: 1 }))).toBeUndefined();
  expect(asAct(channelAct({ kind: "slack" }, undefined, { name: "c", asked, version: 1 }))).toBeUndefined();
});

test("a rule is set by a command, unless it says what has no option", () => {
  const rule = { when: "failed 2 of 3", of: { job: "etl*" }, after: 3, to: ["mail"], on: false };
  expect(asAct(ruleAct(rule, null, { name: "nights", asked, version: 0, reason: "" }))).toBe(
    "foliot alert rule set nights --when 'failed 2 of 3' --after 3 --of 'job=etl*' --to mail --off --everywhere",
  );
  const saved = { name: "nights", asked, version: 0 };
  expect(asAct(ruleAct({ ...rule, hours: "mon-fri" }, "default", saved))).toBeUndefined();
  expect(asAct(ruleAct({ when: "late", of: { tags: { team: "a" } } }, "default", saved))).toBeUndefined();
});

test("a channel is added by a command that names its secret; the value is nowhere", () => {
  const settings = { webhook: ["${", "secret:DING}"].join(""), to: ["a", "b"] };
  const channel = { kind: "dingtalk", settings, level: "info", language: "zh", default: true, on: true };
  expect(asAct(channelAct(channel, undefined, { name: "oncall", asked, version: 0 }))).toBe(
    `foliot alert channel add oncall --kind dingtalk --set 'webhook=\${secret:DING}' --set 'to=["a","b"]' --level info --language zh --default`,
  );
  const quiet = { kind: "slack", default: false, on: false };
  expect(asAct(channelAct(quiet, undefined, { name: "c", asked, version: 0 }))).toBe(
    "foliot alert channel add c --kind slack --no-default --off",
  );
  expect(channelAct(quiet, "default", { name: "c", asked, version: 2 })).toEqual({ asked });
});

test("a token is made by a command, and its secret is in the answer", () => {
  const wanted = { name: "ci", scopes: ["read", "run"], expires: "90d", namespace: "shop", group: "" };
  const act = tokenAct(wanted, asked);
  expect(asAct(act)).toBe(
    "foliot token create ci --scope read --scope run --expires 90d --for-namespace shop",
  );
  expect(asPython(act.method ?? { name: "", given: [] }, SERVER)).toContain(
    'made = client.tokens.create("ci", ["read", "run"], expires="90d", for_namespace="shop")',
  );
});
