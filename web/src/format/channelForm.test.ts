import { expect, test } from "vitest";
import { secretsFile, secretsIn, settingsFrom, settingsOf, writtenSetting } from "./channelForm.ts";

const reference = (name: string) => `\${secret:${name}}`;
const DINGTALK = {
  type: "object",
  properties: {
    mobiles: { type: "array", items: { type: "string" }, description: "Numbers." },
    webhook: { type: "string", secret: true, description: "The address.", examples: [reference("NAME")] },
    secret: { type: "string", secret: true },
    port: { type: "integer" },
    tls: { enum: ["implicit", "none"], default: "implicit" },
  },
  required: ["webhook"],
};

test("what must be written comes first, and each field knows what it takes", () => {
  const fields = settingsOf(DINGTALK);
  expect(fields.map((field) => [field.name, field.kind, field.isNeeded])).toEqual([
    ["webhook", "secret", true],
    ["mobiles", "list", false],
    ["secret", "secret", false],
    ["port", "number", false],
    ["tls", "choice", false],
  ]);
  expect(fields[4]?.usual).toBe("implicit");
});

test("a secret is named, never written: whatever stands there becomes a reference", () => {
  const fields = settingsOf(DINGTALK);
  const settings = settingsFrom(fields, {
    webhook: "DING",
    secret: reference("SEC"),
    mobiles: "138, 139，140",
    port: "25",
    tls: "",
  });
  expect(settings).toEqual({
    webhook: reference("DING"),
    secret: reference("SEC"),
    mobiles: ["138", "139", "140"],
    port: 25,
  });
  expect(secretsIn(settings)).toEqual(["DING", "SEC"]);
  expect(secretsFile(["DING"])).toContain('[secrets.DING]\nenv = "DING"');
});

test("settings stand in the form as they were written", () => {
  expect(writtenSetting(reference("DING"))).toBe("DING");
  expect(writtenSetting(["1", "2"])).toBe("1, 2");
  expect(writtenSetting(undefined)).toBe("");
});
