import { expect, test } from "vitest";
import { seesTheSame } from "./sight.ts";

const ADA = { name: "ada", scopes: ["read", "run"], namespace: null, group: null };

test("two sessions see the same by their rights, not by their names", () => {
  expect(seesTheSame(ADA, { ...ADA, name: "bo", scopes: ["run", "read"] })).toBe(true);
  expect(seesTheSame(ADA, { ...ADA, scopes: ["read"] })).toBe(false);
  expect(seesTheSame(ADA, { ...ADA, namespace: "billing" })).toBe(false);
  expect(seesTheSame(ADA, { ...ADA, group: "nights" })).toBe(false);
});
