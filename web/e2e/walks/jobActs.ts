/// What is done with one job: copied to be done elsewhere, looked at without a run, kept while a session ends, taken away.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { violations } from "./looking.ts";
import { ask, drop, pageOf, server } from "./window.ts";

const copied = async (dialog: Locator): Promise<string> =>
  (await dialog.locator(".command pre").textContent()) ?? "";

test("an action is copied as a command, as curl and as Python, with what was written", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/nightly`);
  await page.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("it's late");
  await dialog.getByText("The same as a command").click();
  assert.equal(await copied(dialog), `foliot job pause nightly --reason 'it'\\''s late'`);
  await dialog.getByRole("tab", { name: "curl" }).click();
  assert.equal(
    await copied(dialog),
    [
      `curl -X POST '${server.url}/api/v1/jobs/nightly:pause?namespace=default'`,
      '-H "Authorization: Bearer $FOLIOT_TOKEN"',
      '-H "Content-Type: application/json"',
      `-d '{"reason":"it'\\''s late"}'`,
    ].join(" \\\n  "),
  );
  await dialog.getByRole("tab", { name: "Python" }).click();
  assert.match(await copied(dialog), /client\.jobs\.pause\("nightly", reason="it's late"\)$/);
  assert.deepEqual(await violations(page), [], "the dialog with its forms to copy");
  await page.goto(`${server.url}/jobs?group=nights`);
  await page.getByRole("table", { name: "List of jobs" }).getByText("nightly_too").waitFor();
  await page.getByRole("button", { name: "All of these …" }).click();
  await page.getByRole("menuitem", { name: "Trigger all" }).click();
  await dialog.getByText("The same as a command").click();
  assert.equal(await copied(dialog), "foliot job trigger --group nights");
  await dialog.getByRole("tab", { name: "curl" }).click();
  assert.match(await copied(dialog), /\{"filter":\{"group":"nights"\},"expected":2,"reason":""\}/);
  await page.context().close();
});

test("a command about a job or a run is copied from its page, and the header leads back to the list", async () => {
  const page = await pageOf();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const run = (await ask("POST", "/jobs/daily:trigger", {})).id as string;
  const way = page.getByRole("navigation", { name: "The way here" });
  const pages: [string, string][] = [
    ["/jobs/default/daily", "foliot job why daily"],
    [`/runs/${run}`, `foliot run logs ${run}`],
  ];
  for (const [path, command] of pages) {
    await page.goto(server.url + path);
    await page.locator(".title").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: command }).click();
    await page.locator(".toast").getByText("Copied").last().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  }
  await way.getByText(run).waitFor();
  await way.getByRole("link", { name: "Runs" }).click();
  await page.waitForURL(`${server.url}/runs`);
  await way.waitFor({ state: "detached" });
  await page.context().close();
});

test("the page of a job tells which values are full of its limits, and who waits", async () => {
  const page = await pageOf();
  const place = { max_running: 4, max_per_key: 1, concurrency_by: "name" };
  const definition = { run: { python: "jobs:endless" }, overlap: "allow", place };
  await ask("POST", "/jobs", { name: "by_name", definition });
  const made: string[] = [];
  for (const _ of [1, 2]) {
    made.push((await ask("POST", "/jobs/by_name:trigger", { params: { name: "Ada" } })).id as string);
  }
  await page.goto(`${server.url}/jobs/default/by_name`);
  await page.locator("main summary").getByText("Limits").click();
  await page.locator("main").getByText("Runs at a time 4").waitFor();
  const full = page.getByRole("table", { name: "Values and workers that are full" });
  await full.getByRole("row", { name: /Ada/ }).getByRole("link").waitFor();
  assert.deepEqual(await violations(page), [], "the limits of a job");
  for (const run of made.reverse()) await ask("POST", `/runs/${run}:cancel`, {}); // the one that waits first
  await drop("by_name");
  await page.context().close();
});

test("a trigger is looked at without a run, goes to the field that is wrong, and is put off", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/slow`);
  await page.locator('.title [data-key="t"]').click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("name").fill("Ada");
  await dialog.getByLabel("Reason").fill("month end");
  await dialog.getByText("When and how").click();
  await dialog.getByLabel("Or after").fill("soon");
  await dialog.getByRole("button", { name: "Only check" }).click();
  await dialog.getByLabel("Or after").and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  await dialog.getByLabel("Or after").fill("1h");
  await dialog.getByLabel("Priority, 1 to 10").fill("9");
  await dialog.getByRole("button", { name: "Only check" }).click();
  await dialog.getByText("No run was made.").waitFor();
  assert.deepEqual(await violations(page), [], "the form with all its fields");
  assert.equal(
    await copied(dialog),
    "foliot job trigger slow -p name=Ada --delay 1h --priority 9 --reason 'month end'",
  );
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await page.waitForURL(/\/runs\/r-/);
  const id = new URL(page.url()).pathname.slice("/runs/".length);
  const run = await ask("GET", `/runs/${id}`);
  assert.equal(run.priority, 9);
  assert.equal(run.state, "PENDING");
  await ask("POST", `/runs/${id}:cancel`, {});
  await page.context().close();
});

test("a trigger that an earlier run stands for says so, with a link to it", async () => {
  const page = await pageOf();
  const definition = { run: { python: "far:calm" }, debounce: "1h" };
  await ask("POST", "/jobs", { name: "calm", definition });
  const first = (await ask("POST", "/jobs/calm:trigger", {})).id as string;
  await page.goto(`${server.url}/jobs/default/calm`);
  await page.locator('.title [data-key="t"]').click();
  await page.getByRole("dialog").getByRole("button", { name: "Trigger", exact: true }).click();
  const toast = page.locator(".toast", {
    hasText: `${first} stands for this trigger, too (debounce). It starts at`,
  });
  await toast.waitFor();
  assert.match(page.url(), /\/jobs\/default\/calm$/, "no run was made, so none is opened");
  await toast.getByRole("link").click();
  await page.waitForURL(`${server.url}/runs/${first}`);
  await ask("POST", `/runs/${first}:cancel`, {});
  await drop("calm");
  await page.context().close();
});

test("a dialog stays with what was written in it when the session ends", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/daily`);
  await page.locator('.title [data-key="p"]').click();
  const dialog = page.getByRole("dialog").filter({ hasText: "Pause daily?" });
  await dialog.getByLabel("Until").fill("2031-01-02T06:00");
  await dialog.getByLabel("Reason").fill("kernel update");
  await page.context().clearCookies();
  // The page may be refused before the form is: either opens the login over it.
  await dialog
    .getByRole("button", { name: "Pause" })
    .click({ timeout: 2000 })
    .catch(() => undefined);
  await page.getByText("Your session has ended.").waitFor();
  await page.getByLabel("Token or code").fill(process.env.FOLIOT_TOKEN ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Your session has ended.").waitFor({ state: "detached" });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel("Until").inputValue(), "2031-01-02T06:00");
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "kernel update");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.locator('.title [data-key="p"]').click();
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "", "who closed it said no");
  await page.context().close();
});

test("a job is taken away after its name was written, a calendar with one press that can be taken back", async () => {
  const page = await pageOf();
  await ask("POST", "/jobs", { name: "short_lived", definition: { run: { python: "jobs:daily" } } });
  await page.goto(`${server.url}/jobs/default/short_lived`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  const send = dialog.getByRole("button", { name: "Delete" });
  assert.equal(await send.isDisabled(), true);
  await dialog.getByLabel("Write short_lived to confirm").fill("short_lived");
  await send.click();
  await page.waitForURL(`${server.url}/jobs`);
  await page.locator(".toast").getByText("short_lived was deleted.").waitFor();
  await ask("PUT", "/calendars/short-days", { calendar: { country: "CN" } });
  await page.goto(`${server.url}/calendars?name=short-days`);
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  const listed = page
    .getByRole("list", { name: "List of calendars" })
    .getByRole("link", { name: "short-days" });
  await listed.waitFor({ state: "detached" });
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await listed.waitFor();
  await page.context().close();
});

test("a date that is cleared or half written is said at its field, and breaks no page", async () => {
  const page = await pageOf();
  const dialog = page.getByRole("dialog");
  const half = dialog.getByText("This is no whole date yet");
  await page.goto(`${server.url}/jobs/default/daily`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Backfill" }).click();
  const from = dialog.getByLabel("From (included)");
  const look = dialog.getByRole("button", { name: "Preview" });
  await from.fill("");
  await half.waitFor();
  assert.equal(await look.isDisabled(), true);
  await page.reload();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Backfill" }).click();
  await half.waitFor(); // what was written is kept, whatever it is
  assert.deepEqual(await violations(page), [], "a form with a half date");
  await from.fill("2026-08-01");
  await half.waitFor({ state: "detached" });
  assert.equal(await look.isDisabled(), false);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.locator('.title [data-key="p"]').click();
  await dialog.getByLabel("Until").fill("0002-01-02T06:00");
  await half.waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Pause" }).isDisabled(), true);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.locator('.title [data-key="t"]').click();
  await dialog.getByText("When and how").click();
  await dialog.getByLabel("Not before").fill("0202-01-02T06:00");
  await half.waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Only check" }).isDisabled(), true);
  await dialog.getByLabel("Not before").fill("");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.goto(`${server.url}/jobs/default/daily?tab=day&day=0002-11-16`);
  const day = page.getByLabel("Day", { exact: true });
  await day.waitFor();
  assert.match(await day.inputValue(), /^20/, "no day of ours: today");
  await day.fill("0202-11-16");
  await day.fill("2026-11-16");
  await page.waitForURL(/day=2026-11-16/);
  await page.context().close();
});
