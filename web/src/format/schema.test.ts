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

test("what is chosen is sent as the schema has it: a number as a number", () => {
  const fields = fieldsOf({
    properties: {
      n: { enum: [1, 2, 3], default: 1 },
      on: { anyOf: [{ enum: [true, "auto"] }, { type: "null" }] },
    },
  });
  expect(fields.map((field) => [...field.choices.keys()])).toEqual([
    ["1", "2", "3"],
    ["true", "auto"],
  ]);
  expect(filled(fields, { n: "2", on: "true" }).params).toEqual({ n: 2, on: true });
  expect(filled(fields, { n: "1", on: "auto" }).params).toEqual({ on: "auto" });
});

test("what has a default can be emptied: a text is sent as an empty one, what may be none as none", () => {
  const fields = fieldsOf({
    properties: {
      name: { type: "string", default: "world" },
      day: { anyOf: [{ type: "string", format: "date" }, { type: "null" }], default: "2026-01-31" },
      count: { type: "integer", default: 5 },
      note: { type: "string" },
    },
  });
  expect(filled(fields, { name: "", day: "", count: "", note: "" })).toEqual({
    params: { name: "", day: null },
    errors: {},
  });
  expect(filled(fields, {}).params).toEqual({});
});

test("a job without a schema has no fields", () => {
  expect(fieldsOf(null)).toEqual([]);
  expect(filled([], {})).toEqual({ params: {}, errors: {} });
});
