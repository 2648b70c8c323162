import { expect, test } from "vitest";
import { COLUMNS, readColumns, toggled, USUAL, writeColumns } from "./columns.ts";

test("columns are read as they were written, in their own order", () => {
  for (const columns of [COLUMNS, USUAL, ["next"], []] as const) {
    expect(readColumns(writeColumns([...columns].reverse()))).toEqual([...columns]);
  }
  expect(writeColumns(["p95", "group"])).toBe("group,p95");
});

test("nothing written and what nobody knows are the usual columns; the name can stand alone", () => {
  expect(readColumns("")).toEqual(USUAL);
  expect(readColumns("colour,shape")).toEqual(USUAL);
  expect(readColumns("colour,next")).toEqual(["next"]);
  expect(writeColumns(USUAL)).toBe("");
  expect(readColumns(writeColumns([]))).toEqual([]);
});

test("a press shows a column, and another press hides it", () => {
  const more = toggled(USUAL, "owner");
  expect(writeColumns(more)).toBe("owner,schedule,next,last,strip,p95");
  expect(writeColumns(toggled(more, "owner"))).toBe("");
});
