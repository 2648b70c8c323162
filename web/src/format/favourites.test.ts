import { expect, test } from "vitest";
import { favouriteOf, nameOf } from "./favourites.ts";
import { jobPath } from "./paths.ts";

test("a favourite is found again by its path, in any script", () => {
  for (const job of [
    { namespace: "default", name: "settle" },
    { namespace: "财务", name: "结算.每日" },
  ]) {
    expect(favouriteOf({ name: nameOf(job), path: jobPath(job), shared: false })).toEqual(job);
  }
});

test("other views are none: shared ones, those with a filter, those that somebody named", () => {
  expect(favouriteOf({ name: "favourite.default.a", path: "/jobs/default/a", shared: true })).toBeNull();
  expect(
    favouriteOf({ name: "favourite.default.a", path: "/jobs/default/a?tab=day", shared: false }),
  ).toBeNull();
  expect(favouriteOf({ name: "mine", path: "/jobs/default/a", shared: false })).toBeNull();
});
