import { expect, test } from "vitest";
import { subjectOf, titleOf } from "./title.ts";

test("a page is called by what it shows, then by its place", () => {
  expect(subjectOf("/jobs/default/settle")).toEqual({ name: "settle", place: "jobs" });
  expect(subjectOf("/jobs/billing/%E7%BB%93%E7%AE%97")).toEqual({ name: "billing / 结算", place: "jobs" });
  expect(subjectOf("/jobs/default/settle/edit")).toEqual({ name: "settle", place: "edit" });
  expect(subjectOf("/runs/r-77aa")).toEqual({ name: "r-77aa", place: "runs" });
});

test("a list, the first page and what is no list are called by their place alone", () => {
  expect(subjectOf("/")).toEqual({ name: "", place: "" });
  expect(subjectOf("/jobs")).toEqual({ name: "", place: "jobs" });
  expect(subjectOf("/jobs/new")).toEqual({ name: "", place: "new" });
  expect(subjectOf("/runs/compare")).toEqual({ name: "", place: "compare" });
  expect(subjectOf("/runs/%zz")).toEqual({ name: "%zz", place: "runs" });
});

test("the title has the subject first and Foliot last", () => {
  expect(titleOf({ name: "settle", place: "jobs" }, "Jobs")).toBe("settle · Jobs · Foliot");
  expect(titleOf({ name: "", place: "" }, "Overview")).toBe("Overview · Foliot");
  expect(titleOf({ name: "", place: "nowhere" }, "")).toBe("Foliot");
});
