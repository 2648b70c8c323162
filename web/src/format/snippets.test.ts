import { expect, test } from "vitest";
import {
  asAct,
  asCheckRun,
  asCurl,
  asFields,
  asPing,
  asPingCurl,
  asPython,
  asReport,
  asReportSchedule,
  shellWord,
} from "./snippets.ts";

const SERVER = "http://h:7171";

test("a trigger is copied as a command", () => {
  const trigger = {
    verb: "job trigger",
    of: "settle",
    options: { p: asFields({ day: "2026-01-31", dry: true }) },
  };
  expect(asAct(trigger)).toBe("foliot job trigger settle -p day=2026-01-31 -p dry=true");
  expect(asAct({ ...trigger, namespace: "pay", options: {} })).toBe("foliot job trigger settle -n pay");
});

test("no value of a user becomes a second word of the shell", () => {
  expect(shellWord("a'; rm -rf / #")).toBe(`'a'\\''; rm -rf / #'`);
  expect(asAct({ verb: "job trigger", of: "$(id)" })).toBe("foliot job trigger '$(id)'");
  const body = { reason: "it's `late`" };
  expect(asCurl({ method: "POST", path: "/x", body }, SERVER)).toContain(
    `-d '{"reason":"it'\\''s \`late\`"}'`,
  );
});

test("a request is copied as curl, with its headers and its body as far as there are some", () => {
  const path = "/api/v1/jobs/%E7%BB%93%E7%AE%97?namespace=a+b";
  expect(asCurl({ method: "DELETE", path, headers: { "If-Match": '"v3"' } }, SERVER)).toBe(
    `curl -X DELETE 'http://h:7171${path}' \\\n  -H "Authorization: Bearer $FOLIOT_TOKEN" \\\n  -H 'If-Match: "v3"'`,
  );
  expect(asCurl({ method: "POST", path, body: { to: 2 } }, SERVER)).toContain(
    `  -H "Content-Type: application/json" \\\n  -d '{"to":2}'`,
  );
});

test("a method of the client is copied as Python, without what is empty", () => {
  const trigger = {
    name: "jobs.trigger",
    given: ["settle", { day: "2026-01-31", dry: true, x: null }],
    answer: "run",
  };
  expect(asPython({ ...trigger, options: { reason: "", at: undefined, namespace: "pay" } }, SERVER)).toBe(
    `from foliot import Foliot\n\nwith Foliot("http://h:7171") as client:\n    run = client.jobs.trigger("settle", {"day": "2026-01-31", "dry": True, "x": None}, namespace="pay")`,
  );
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
  const limit = { verb: "limit set", of: ["a db", "4"], options: { cluster: true } } as const;
  expect(asAct(limit)).toBe("foliot limit set 'a db' 4 --cluster");
  expect(asAct({ asked: { method: "POST", path: "/x" } })).toBe(undefined);
});
