import { expect, test } from "vitest";
import { checkPath, isPlainPress, jobPath, runPath } from "./paths.ts";

test("names that mean something in an address are written so that they are names again", () => {
  expect(jobPath({ namespace: "default", name: "tick" })).toBe("/jobs/default/tick");
  expect(jobPath({ namespace: "a/b", name: "c?d#e %41 夜" })).toBe(
    "/jobs/a%2Fb/c%3Fd%23e%20%2541%20%E5%A4%9C",
  );
  expect(runPath("r-abc")).toBe("/runs/r-abc");
  expect(checkPath({ namespace: "default", name: "a&b" })).toBe("/checks?name=a%26b&namespace=default");
});

const PRESS = {
  button: 0,
  metaKey: false,
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  defaultPrevented: false,
};

test.each([
  [{}, true],
  [{ button: 1 }, false],
  [{ ctrlKey: true }, false],
  [{ metaKey: true }, false],
  [{ shiftKey: true }, false],
  [{ altKey: true }, false],
  [{ defaultPrevented: true }, false],
])("a press with %o goes on in this window: %s", (change, isPlain) => {
  expect(isPlainPress({ ...PRESS, ...change })).toBe(isPlain);
});
