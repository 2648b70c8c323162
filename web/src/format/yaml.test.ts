import { expect, test } from "vitest";
import { fromYaml, toYaml } from "./yaml.ts";

test("a definition is written without what is not set, and read back as it was", () => {
  const definition = {
    run: { python: "jobs:tick" },
    schedule: { cron: "0 2 * * *", tz: "Asia/Shanghai", jitter: null },
    owner: null,
    tags: { team: "on", release: "1.10" },
    retries: { max: 3, backoff: ["1m", "5m"] },
  };
  const text = toYaml(definition);
  expect(text).not.toContain("owner");
  expect(text).not.toContain("jitter");
  expect(text).toContain('team: "on"');
  const read = fromYaml(text);
  expect(read).toEqual({
    value: {
      run: { python: "jobs:tick" },
      schedule: { cron: "0 2 * * *", tz: "Asia/Shanghai" },
      tags: { team: "on", release: "1.10" },
      retries: { max: 3, backoff: ["1m", "5m"] },
    },
  });
});

test("what is no YAML is told by its line", () => {
  expect(fromYaml("run:\n  python: [a\nowner: b")).toMatchObject({ line: expect.any(Number) });
  expect(fromYaml("- a")).toEqual({ line: 1, says: "name: value" });
  expect(fromYaml("")).toEqual({ value: {} });
  expect("says" in fromYaml("a: &x [1]\nb: *x")).toBe(true);
});
