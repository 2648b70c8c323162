import { expect, test } from "vitest";
import { fieldsOf, filled } from "./schema.ts";

const schema = {
  type: "object",
  required: ["day", "count"],
  properties: {
    day: { anyOf: [{ type: "string", format: "date" }, { type: "null" }], description: "for which day" },
    count: { type: "integer" },
    loud: { type: "boolean", default: false },
    mode: { enum: ["fast", "safe"], default: "safe" },
    extra: { type: "object" },
    name: { type: "string", default: "world" },
  },
};

test("each property becomes a field of its kind", () => {
  const kinds = Object.fromEntries(fieldsOf(schema).map((field) => [field.name, field.kind]));
  expect(kinds).toEqual({
    day: "date",
    count: "integer",
    loud: "switch",
    mode: "choice",
    extra: "json",
    name: "text",
  });
});

test("what is needed and missing is said, and so is what is no number and no JSON", () => {
  const { errors } = filled(fieldsOf(schema), { count: "1.5", extra: "{" });
  expect(errors).toEqual({ day: "needed", count: "number", extra: "json" });
});

test("defaults are left to the handler, and the rest is sent with its type", () => {
  const { params, errors } = filled(fieldsOf(schema), {
    day: "2026-01-31",
    count: "3",
    loud: "true",
    extra: "[1]",
  });
  expect(errors).toEqual({});
  expect(params).toEqual({ day: "2026-01-31", count: 3, loud: true, extra: [1] });
});

test("a job without a schema has no fields", () => {
  expect(fieldsOf(null)).toEqual([]);
  expect(filled([], {})).toEqual({ params: {}, errors: {} });
});
