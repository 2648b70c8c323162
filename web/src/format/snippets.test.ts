import { expect, test } from "vitest";
import {
  asAct,
  asCheckRun,
  asCommand,
  asCurl,
  asPing,
  asPingCurl,
  asPython,
  asReport,
  asReportSchedule,
  shellWord,
} from "./snippets.ts";

const trigger = {
  job: "settle",
  namespace: "default",
  params: { day: "2026-01-31", dry: true },
  server: "http://h:7171",
};

test("a trigger is copied as a command", () => {
  expect(asCommand(trigger)).toBe("foliot job trigger settle -p day=2026-01-31 -p dry=true");
  expect(asCommand({ ...trigger, namespace: "pay", params: {} })).toBe("foliot job trigger settle -n pay");
});

test("no value of a user becomes a second word of the shell", () => {
  expect(shellWord("a'; rm -rf / #")).toBe(`'a'\\''; rm -rf / #'`);
  expect(asCommand({ ...trigger, job: "$(id)", params: {} })).toBe("foliot job trigger '$(id)'");
});

test("a trigger is copied as curl, with names in the address written as their bytes", () => {
  const copied = asCurl({ ...trigger, job: "结算", namespace: "a b" });
  expect(copied).toContain("/jobs/%E7%BB%93%E7%AE%97:trigger?namespace=a%20b");
  expect(copied).toContain(`'{"params":{"day":"2026-01-31","dry":true}}'`);
});

test("a trigger is copied as Python", () => {
  expect(asPython(trigger)).toContain('client.jobs.trigger("settle", {"day": "2026-01-31", "dry": True})');
  expect(asPython({ ...trigger, params: { x: null } })).toContain('{"x": None}');
});

test("a ping is copied as a command around a command, as a command alone, and as curl", () => {
  const check = { name: "nightly backup", namespace: "shop", server: "http://h:7171" };
  expect(asCheckRun(check, "backup.sh")).toBe(
    "foliot check run 'nightly backup' -n shop --server http://h:7171 -- backup.sh",
  );
  expect(asPing({ ...check, namespace: "default" })).toBe(
    "foliot check ping 'nightly backup' ok --server http://h:7171",
  );
  expect(asPingCurl(check)).toContain(
    "'http://h:7171/api/v1/checks/nightly%20backup:ping?kind=ok&namespace=shop'",
  );
});

test("a report and its schedule are copied as commands", () => {
  expect(asReport({ kind: "daily", date: undefined, tz: "UTC", namespace: undefined })).toBe(
    "foliot report daily --tz UTC",
  );
  expect(asReport({ kind: "weekly", date: "2026-11-16", tz: "Asia/Shanghai", namespace: "pay" })).toBe(
    "foliot report weekly --date 2026-11-16 --tz Asia/Shanghai -n pay",
  );
  const written = { kind: "weekly", at: "08:00", weekday: "mon", timezone: "UTC", to: ["a", "b"], on: false };
  expect(asReportSchedule("week", "pay", written)).toBe(
    "foliot report schedule set week --kind weekly --at 08:00 --weekday mon --tz UTC --to a --to b --off -n pay",
  );
});

test("what a dialog does is a command, with what was written in it", () => {
  const options = { until: "", reason: "month end" };
  expect(asAct({ verb: "job pause", of: "settle", options })).toBe(
    "foliot job pause settle --reason 'month end'",
  );
  const far = { verb: "job resume", of: "settle", namespace: "pay", options: { reason: "" } };
  expect(asAct(far)).toBe("foliot job resume settle -n pay");
  expect(asAct({ verb: "run cancel", of: "r-1", options: { force: true } })).toBe(
    "foliot run cancel r-1 --force",
  );
  expect(asAct({ verb: "cluster step-down" })).toBe("foliot cluster step-down");
});
