import { expect, test } from "vitest";
import { askedOf, verbsOf } from "./deeds.ts";

const chinese = { trigger: "触发", pause: "暂停", drain: "排空" };
const asked = (text: string) => askedOf(text, chinese);

test("a verb and a blank ask for a deed; the rest is searched for", () => {
  expect(asked("pause settle")).toEqual({ verb: "pause", rest: "settle" });
  expect(asked(" Trigger  load orders ")).toEqual({ verb: "trigger", rest: "load orders" });
  expect(asked("drain ")).toEqual({ verb: "drain", rest: "" });
});

test("Chinese verbs need no blank", () => {
  expect(asked("触发settle")).toEqual({ verb: "trigger", rest: "settle" });
  expect(asked("排空 w-7")).toEqual({ verb: "drain", rest: "w-7" });
});

test("a name that begins like a verb is searched for as a whole", () => {
  expect(asked("drain")).toEqual({ verb: null, rest: "drain" });
  expect(asked("trigger-happy")).toEqual({ verb: null, rest: "trigger-happy" });
  expect(asked("settle pause")).toEqual({ verb: null, rest: "settle pause" });
});

test("only what the session may do is offered", () => {
  expect(verbsOf("job", { run: true, admin: false })).toEqual(["trigger", "pause"]);
  expect(verbsOf("job", { run: false, admin: false })).toEqual([]);
  expect(verbsOf("node", { run: true, admin: true })).toEqual(["drain"]);
  expect(verbsOf("node", { run: true, admin: false })).toEqual([]);
  expect(verbsOf("run", { run: true, admin: true })).toEqual([]);
});
