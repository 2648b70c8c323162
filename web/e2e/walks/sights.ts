/// What pages say beside their lists, and where what they name leads to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOut } from "../../src/api/types.ts";
import { violations } from "./looking.ts";
import { ask, counted, pageOf, server } from "./window.ts";

test("a schedule that goes by UTC says so, unless the page shows UTC, too", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?q=daily`);
  const cell = page.getByRole("cell", { name: /every day at 02:00/ });
  await cell.getByText("UTC").waitFor();
  await page.goto(`${server.url}/jobs/default/daily`);
  const facts = page.locator(".facts b", { hasText: "every day at 02:00" });
  await facts.getByText("UTC").waitFor();
  await page.getByLabel("Time zone").selectOption("UTC");
  await facts.getByText("UTC").waitFor({ state: "detached" });
  await page.context().close();
});

test("the page of a job says how many of its latest runs began late", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/slow`);
  await page
    .locator(".facts")
    .getByText(/^late \d+$/)
    .waitFor();
  await page.context().close();
});

test("the node of a run is a link to it", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs?job=slow`);
  const node = page.locator('tbody a[href^="/nodes?node="]').first();
  const name = (await node.textContent()) ?? "";
  await node.click();
  await page.waitForURL(`${server.url}/nodes?node=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: `Details of ${name}`, expanded: true }).waitFor();
  await page.context().close();
});

/** What the event of an alert is about: many others may stand before it. */
async function subjectOfFired(job: string): Promise<string> {
  let after: string | null = "";
  while (after !== null) {
    const path = `/journal?topic=cluster&limit=200${after}`;
    const page = (await ask("GET", path)) as unknown as { items: EventOut[]; next_cursor: string | null };
    const found = page.items.find(
      (event) => event.kind === "alert.fired" && JSON.stringify(event).includes(job),
    );
    if (found) return found.subject;
    after = page.next_cursor && `&cursor=${page.next_cursor}`;
  }
  throw new Error(`no alert of ${job} fired`);
}

test("the event of an alert says what that is about, and leads to it", async () => {
  const page = await pageOf();
  const subject = encodeURIComponent(await subjectOfFired("charge"));
  await page.goto(`${server.url}/events?topic=cluster&subject=${subject}`);
  const line = page.locator("li", { hasText: "an alert fires" }).filter({ hasText: "charge" }).first();
  await line.waitFor();
  assert.deepEqual(await violations(page), []);
  await line.getByRole("link").click();
  await page.waitForURL(/\/alerts\?id=\d+$/);
  await page.getByRole("dialog").waitFor();
  await page.context().close();
});

test("a server shows what it fired, and the last day of the overview how late runs began and how often instants fired", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const servers = page.getByRole("table", { name: "Servers" });
  await servers
    .getByRole("button", { name: /^Details of/ })
    .first()
    .click();
  const figures = page.getByRole("region", { name: /^Statistics of/ });
  await counted(page, figures.getByRole("img", { name: "Fires per second" }));
  await figures.getByText("made a run").first().waitFor();
  await figures.getByText("The fires as a table").click();
  await figures.getByRole("columnheader", { name: "runs leased to workers" }).waitFor();
  assert.deepEqual(await violations(page), [], "a server with its figures");
  await page.goto(server.url);
  const day = page.getByRole("region", { name: "Last 24 hours" });
  for (const chart of ["Queue delay: from due to started", "Fires per second"]) {
    await day.getByRole("img", { name: chart }).waitFor();
  }
  assert.equal(await day.getByText("whole cluster").count(), 0, "everything is shown");
  await page.goto(`${server.url}/?in=default`);
  await day.getByText("whole cluster").waitFor();
  const running = page.getByRole("region", { name: /^Running now/ });
  await running.getByRole("link", { name: /^\(\d+\+?\)$/ }).click();
  await page.waitForURL(/\/runs\?.*state=RUNNING/);
  await page.context().close();
});

test("the number of a shard leads to its lines in the log of the whole run", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs?job=load_orders`);
  await page.locator("tbody a.mono").last().click();
  await page.getByRole("tab", { name: "Shards" }).click();
  assert.deepEqual(await violations(page), [], "shards");
  await page.getByRole("link", { name: "Shard 1: its lines in the log" }).click();
  await page.waitForURL(/\?shard=1$/);
  await page.getByRole("log").getByText("shard has no file").waitFor();
  assert.equal(await page.getByLabel("Shard", { exact: true }).inputValue(), "1");
  await page.context().close();
});

test("24 jobs are in sight at first, and a filter that lets none through is taken away by its number", async () => {
  const page = await pageOf();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${server.url}/jobs`);
  const rows = page.getByRole("table", { name: "List of jobs" }).locator("tbody tr");
  const top = await rows.first().evaluate((row) => row.getBoundingClientRect().top);
  const plain = rows.filter({ has: page.getByRole("link", { name: "daily", exact: true }) }); // others may have a second line
  const fit = await plain.evaluate(
    (row, top) => Math.floor((window.innerHeight - top) / row.getBoundingClientRect().height),
    top,
  );
  assert.ok(fit >= 24, `${fit} rows`);
  await page.goto(`${server.url}/jobs?q=nothing-is-called-so&failing=true&sort=next`);
  await page.getByText("No jobs match.").waitFor();
  await page.getByRole("button", { name: "Clear 2 filters" }).click();
  await rows.nth(1).waitFor();
  await page.context().close();
});

test("a job that never ran says when it runs first, or that somebody has to trigger it", async () => {
  const page = await pageOf();
  const run = { python: "jobs:daily" };
  await ask("POST", "/jobs", { name: "some-day", definition: { run, schedule: { cron: "0 2 1 1 *" } } });
  await ask("POST", "/jobs", { name: "by-hand", definition: { run } });
  await page.goto(`${server.url}/jobs/default/some-day`);
  await page.getByText(/It never ran\. Its first run is due: .*01-01 10:00:00/).waitFor();
  await page.goto(`${server.url}/jobs/default/by-hand`);
  await page.getByText("foliot job trigger by-hand").waitFor();
  assert.deepEqual(await violations(page), [], "a job that never ran");
  for (const name of ["some-day", "by-hand"]) {
    await ask("DELETE", `/jobs/${name}`, undefined, { "If-Match": '"v1"' });
  }
  await page.context().close();
});

test("on a phone the menu of the account says the zone and changes it, also to that of a job", async () => {
  const page = await pageOf();
  await page.setViewportSize({ width: 390, height: 844 });
  const schedule = { cron: "0 2 1 1 *", tz: "Europe/Berlin" };
  await ask("POST", "/jobs", { name: "in-berlin", definition: { run: { python: "jobs:daily" }, schedule } });
  await page.goto(`${server.url}/jobs/default/in-berlin`);
  await page.locator(".facts").getByText("01-01 09:00:00").first().waitFor();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitemradio", { name: "Asia/Shanghai", checked: true }).waitFor();
  assert.deepEqual(await violations(page), [], "the menu with the zones");
  await page.getByRole("menuitemradio", { name: /^Europe\/Berlin/ }).click();
  await page.locator(".facts").getByText("01-01 02:00:00").first().waitFor();
  await ask("DELETE", "/jobs/in-berlin", undefined, { "If-Match": '"v1"' });
  await page.context().close();
});
