import { expect, test } from "vitest";
import { crumbsOf } from "./crumbs.ts";

test("a list has no way to it, one thing has its list, a job its namespace, too", () => {
  expect(crumbsOf("/")).toEqual([]);
  expect(crumbsOf("/jobs")).toEqual([]);
  expect(crumbsOf("/runs/r-77aa")).toEqual([{ text: "runs", to: "/runs" }, { text: "r-77aa" }]);
  expect(crumbsOf("/runs/100%")[1]).toEqual({ text: "100%" });
  expect(crumbsOf("/jobs/billing%2Feu/settle/edit")).toEqual([
    { text: "jobs", to: "/jobs" },
    { text: "billing/eu", to: "/jobs?in=billing%2Feu" },
    { text: "settle", to: "/jobs/billing%2Feu/settle" },
    { text: "edit" },
  ]);
});
