/// What did not run: listed for all jobs, by reason, with why. What happened: saved as a file, still while somebody is in it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { violations } from "./looking.ts";
import { ask, drop, pageOf, server } from "./window.ts";

test("instants that lay in a pause are listed by their reason, and each says why", async () => {
  const page = await pageOf();
  const made = { name: "halted", definition: { run: { python: "jobs:daily" }, schedule: { every: "1s" } } };
  await ask("POST", "/jobs", made);
  // An instant a second: one lies between a pause and its end sooner or later.
  for (let found: unknown[] = []; found.length === 0; ) {
    await ask("POST", "/jobs/halted:pause", {});
    await ask("POST", "/jobs/halted:resume", {});
    found = (await ask("GET", "/skips?job=halted&reason=paused")).items as unknown[];
  }
  await ask("POST", "/jobs/halted:pause", {});
  await page.goto(`${server.url}/events`);
  await page.getByRole("tab", { name: "What did not run" }).click();
  await page.getByLabel("Reason").selectOption("paused");
  await page.getByPlaceholder("Name of a job").fill("halted");
  await page.waitForURL(/reason=paused.*subject=halted|subject=halted.*reason=paused/);
  const line = page.locator(".lines li").first();
  await line.getByRole("link", { name: "halted" }).waitFor();
  await line.getByRole("button", { name: "Why?" }).click();
  await line.getByText(/skipped: halted was paused/).waitFor();
  assert.deepEqual(await violations(page), [], "the list of what did not run");
  await page.getByLabel("Reason").selectOption("limit");
  await page.getByText("Nothing that was due was left out.").waitFor();
  await ask("DELETE", "/jobs/halted", undefined, { "If-Match": '"v1"' });
  await page.context().close();
});

test("events that a filter lets through are saved as a file, one object a line", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/events?topic=jobs`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "events.jsonl");
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
  const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
  assert.ok(kinds.length > 0 && kinds.includes("job.created"), kinds.join(" "));
  await page.locator(".toast").getByText(/saved/).waitFor();
  await page.goto(`${server.url}/nodes?tab=health`);
  const [report] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the report" }).click(),
  ]);
  assert.equal(report.suggestedFilename(), "doctor.json");
  await page.context().close();
});

test("events do not move while somebody is among them: new ones wait until they are asked for", async () => {
  const page = await pageOf();
  const job = `moving-${process.pid}`;
  await ask("POST", "/jobs", { name: job, definition: { run: { python: "jobs:daily" } } });
  await page.goto(`${server.url}/events?subject=${job}`);
  const lines = page.locator("main .lines > li");
  await lines.filter({ hasText: "created" }).waitFor();
  await page.locator('.chip[data-is="live"]').waitFor();
  const pill = page.getByRole("button", { name: "1 new" });
  await lines.first().hover();
  await ask("POST", `/jobs/${job}:pause`, {});
  await pill.waitFor();
  assert.equal(await lines.count(), 1);
  await pill.click();
  await lines.nth(1).waitFor();
  assert.match((await lines.first().textContent()) ?? "", /paused/);
  await page.keyboard.press("Tab"); // the pointer is where the pill was
  await page.locator("main .lines > li :focus").waitFor();
  await ask("POST", `/jobs/${job}:resume`, {});
  await pill.waitFor();
  assert.match((await lines.first().textContent()) ?? "", /paused/);
  await page.keyboard.press("Shift+Tab"); // out of the list; the pill stays until it is pressed
  await pill.press("Enter");
  await lines.nth(2).waitFor();
  await drop(job);
  await page.context().close();
});
