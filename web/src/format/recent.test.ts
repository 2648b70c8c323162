import { expect, test } from "vitest";
import { RECENT_MAX, readRecent, recentOf, withRecent } from "./recent.ts";

const job = (name: string) => ({
  to: `/jobs/default/${name}`,
  name,
  kind: "job" as const,
  namespace: "default",
});

test("jobs and runs are kept, other pages are not", () => {
  expect(recentOf("/jobs/default/settle")).toEqual(job("settle"));
  expect(recentOf("/runs/r-8k2f")).toEqual({ to: "/runs/r-8k2f", name: "r-8k2f", kind: "run" });
  for (const path of ["/jobs", "/runs/compare", "/jobs/default/settle/edit", "/jobs/new"]) {
    expect(recentOf(path), path).toBeNull();
  }
});

test("the newest stands first, each once, and few are kept", () => {
  expect(withRecent([job("a"), job("b")], job("b"))).toEqual([job("b"), job("a")]);
  const many = Array.from({ length: 20 }, (_, index) => job(`j${index}`));
  const kept = many.reduce<ReturnType<typeof job>[]>((before, one) => withRecent(before, one) as never, []);
  expect(kept).toHaveLength(RECENT_MAX);
  expect(kept[0]?.name).toBe("j19");
});

test("what another program left in the browser is nothing", () => {
  expect(readRecent("{")).toEqual([]);
  expect(readRecent('{"a":1}')).toEqual([]);
  expect(readRecent('["/jobs/default/a", 7]')).toEqual([job("a")]);
});
