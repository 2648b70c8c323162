import { expect, test } from "vitest";
import { asCommand, asCurl, asPython, shellWord } from "./snippets.ts";

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
