/// Walks through the console in a real browser, against a real server whose sample jobs run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { asked, Calls, Complaints, launched, logIn, opened } from "./browser.ts";

const server = asked();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CALLS_MAX = 4;
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

let browser: Browser;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
const complaints = new Complaints();

before(async () => {
  browser = await launched();
});
after(async () => {
  await browser.close();
});

async function pageOf(look: Parameters<typeof opened>[1] = {}): Promise<Page> {
  const context = await opened(browser, { ...look, state });
  const page = await context.newPage();
  complaints.watch(page, server.url);
  return page;
}

test("a link logs in, once, and its code is gone from the address", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  complaints.watch(page, server.url);
  await logIn(page, server);
  assert.equal(page.url(), `${server.url}/`);
  await page.locator('.chip[data-is="live"]').waitFor();
  state = await context.storageState();
  const cookie = state.cookies.find((one) => one.name === "foliot_session");
  assert.equal(cookie?.httpOnly, true);
  await context.close();
});

test("who is not logged in is asked for a token, and told the command for a link", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  await page.goto(`${server.url}/jobs`);
  await page.getByText("foliot login-link").waitFor();
  await page.getByLabel("Token or code").fill("AAAA-BBBB-CCCC");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("FOL-4003").waitFor();
  await page.getByLabel("Token or code").fill(process.env.FOLIOT_TOKEN ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("table", { name: "List of jobs" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/jobs", "the page that was asked for");
  await context.close();
});

test("a job is triggered by a form with two clicks, and its run is seen to end, with its log", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "Trigger slow" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("name").fill("Ada");
  await form.getByText("foliot job trigger slow -p name=Ada").waitFor();
  await form.getByRole("button", { name: "Trigger", exact: true }).click();
  await page.waitForURL(/\/runs\/r-/);
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page
    .getByRole("log")
    .getByText(/hello.*name=Ada/)
    .first()
    .waitFor();
  await title.getByText("succeeded").waitFor();
  await page.getByRole("tab", { name: "Parameters and result" }).click();
  await page.getByText('"name": "Ada"').waitFor();
  assert.match(page.url(), /tab=data/, "the tab stands in the address");
  await page.context().close();
});

test("runs that wait say why in their list, all of a page by one request, with the next step", async () => {
  const page = await pageOf();
  const headers = { "X-Foliot-Csrf": "1" };
  const made = { name: "unserved", definition: { run: { python: "far:unserved" }, overlap: "allow" } };
  assert.equal((await page.request.post(`${server.url}/api/v1/jobs`, { headers, data: made })).status(), 201);
  const trigger = `${server.url}/api/v1/jobs/unserved:trigger`;
  for (const _ of [1, 2]) assert.ok((await page.request.post(trigger, { headers, data: {} })).ok());
  await page.goto(`${server.url}/runs?job=unserved`);
  const rows = page.getByRole("table", { name: "List of runs" }).getByRole("button", { name: /^Why\?/ });
  await rows.nth(1).waitFor();
  const calls = new Calls();
  calls.watch(page);
  for (const place of [0, 1]) {
    await rows.nth(place).click();
    await page.locator("tr.inner .why").getByText("far:unserved").first().waitFor();
    assert.equal(await rows.nth(place).getAttribute("aria-expanded"), "true");
  }
  const asked = calls.ofThePage().filter((call) => call.includes("/why") || call.includes(":why"));
  assert.equal(asked.length, 1, asked.join(", "));
  assert.deepEqual(await violations(page, "{}"), [], "a run with its reason");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${server.url}/jobs/default/unserved`);
  await page
    .getByRole("button", { name: /^Why\?/ })
    .first()
    .click();
  await page.locator("tr.inner .why").getByText("far:unserved").first().waitFor();
  await page.context().close();
});

test("two browsers see each other: one pauses a job with a reason, the other shows it without a reload", async () => {
  const [one, other] = [await pageOf(), await pageOf()];
  await other.goto(`${server.url}/jobs/default/tick`);
  await other.locator(".title").getByText("active").waitFor();
  await other.locator('.chip[data-is="live"]').waitFor();
  await one.goto(`${server.url}/jobs/default/tick`);
  await one.getByRole("button", { name: "Pause" }).click();
  await one.getByLabel("Reason").fill("month end");
  await one.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await one.getByText("tick is paused.").waitFor();
  await other.getByText("month end").waitFor();
  await other.getByRole("button", { name: "Resume" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await one.locator(".title").getByText("active").waitFor();
  await one.context().close();
  await other.context().close();
});

test("a run that executes is cancelled, and one that is over is retried", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/endless`);
  await page.getByRole("button", { name: "Trigger" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Trigger", exact: true }).click();
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await title.getByText("cancelled").waitFor();
  const before = page.url();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.locator(".toast", { hasText: "runs again" }).getByRole("link").click();
  await page.waitForURL((url) => url.href !== before);
  await title.getByText("running").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await title.getByText("cancelled").waitFor();
  await page.context().close();
});

test("Ctrl-K finds a job, a filter stands in the address, and keys go from page to page", async () => {
  const page = await pageOf();
  await page.goto(server.url);
  await page.locator("#needs").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("Search jobs, runs, nodes and pages").fill("tick");
  await page.getByRole("option", { name: /tick/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/jobs/default/tick`);
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.waitForURL(`${server.url}/jobs`);
  await page.getByRole("table").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("tick");
  await page.waitForURL(`${server.url}/jobs?q=tick`);
  await page.reload();
  await page.getByRole("table").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.goBack();
  await page.context().close();
});

test("a year leads to a day, and a day to the sentence about one instant", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/tick?tab=calendar`);
  const today = page.locator(".year a.cell").last();
  assert.match((await today.getAttribute("title")) ?? "", /succeeded \d/);
  await today.click();
  await page.waitForURL(/tab=day/);
  await page.getByRole("img", { name: /created, .* skipped/ }).waitFor();
  await page.locator("#past ~ ul li").first().getByRole("button", { name: "Why?" }).click();
  await page.locator("#past ~ ul .why").waitFor();
  await page.getByRole("button", { name: "Day before" }).click();
  await page.getByText("No instant was due on this day.").waitFor();
  await page.getByRole("button", { name: "Today" }).click();
  await page.getByRole("tab", { name: "Definition" }).click();
  await page.locator(".command pre").getByText("schedule:").waitFor();
  await page.goto(server.url);
  await page.locator(".crowd svg rect").first().waitFor();
  await page.context().close();
});

test("a lock is taken away by writing its name, and the next in line gets it", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/locks`);
  const table = page.getByRole("table", { name: "List of locks" });
  await table.getByText("waits, place 1").waitFor();
  await table.getByRole("button", { name: "Take away" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByRole("button", { name: "Take away" }).isDisabled(), true);
  await dialog.getByLabel("Write acct:42 to confirm").fill("acct:42");
  await dialog.getByRole("button", { name: "Take away" }).click();
  await page.locator(".toast").getByText("acct:42 was taken from").waitFor();
  await table.getByText("waits, place 1").waitFor({ state: "detached" });
  await page.goto(`${server.url}/events?subject=acct%3A42`);
  await page.getByText("lock taken away").waitFor();
  await page.context().close();
});

test("the past is filled after a look at its instants, and a calendar is saved", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/daily`);
  await page.getByRole("button", { name: "Backfill" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("7 instants get a run:").waitFor();
  await dialog.getByRole("button", { name: "Start 7 runs" }).click();
  await page.locator(".toast").getByText("7 instants of the past").waitFor();
  await page.goto(`${server.url}/backfills`);
  await page.getByText("7 / 7").waitFor({ timeout: 60_000 }); // one run after the other
  await page.goto(`${server.url}/calendars`);
  await page.getByRole("button", { name: "New calendar" }).click();
  await dialog.getByLabel("Name").fill("shop-days");
  await dialog.getByLabel("Days that count").fill("country: [CN");
  await dialog.getByText(/^1: /).waitFor();
  await dialog.getByLabel("Days that count").fill("country: CN\nexclude: [2030-12-31]\n");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/name=shop-days/);
  await page.getByText("No job uses it.").waitFor();
  await page.context().close();
});

test("a job is written with form and YAML, and a change of somebody else is seen field by field", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/new`);
  await page.getByRole("textbox", { name: "Job" }).fill("made_here");
  await page
    .getByLabel("Definition as YAML")
    .fill("run:\n  python: jobs:daily\nschedule:\n  cron: 0 2 * * *\n");
  await page.getByRole("table", { name: "Next instants" }).getByText("02:00:00").first().waitFor();
  await page.getByLabel("Timeout").fill("soon");
  await page.locator(".problem").getByText("timeout").first().waitFor();
  await page.getByLabel("Timeout").fill("10m");
  await page.locator(".problem").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/made_here\?tab=versions/);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "By cron" }).fill("0 3 * * *");
  const difference = page.locator("#difference + table");
  await difference.getByText("0 3 * * *").waitFor();
  const theirs = await page.request.patch(`${server.url}/api/v1/jobs/made_here`, {
    data: { definition: { owner: "night-shift" } },
    headers: { "X-Foliot-Csrf": "1", "If-Match": '"v1"' },
  });
  assert.equal(theirs.status(), 200);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("region", { name: "Somebody else changed it meanwhile" });
  const owner = conflict.getByRole("row", { name: /owner/ });
  await owner.getByText("night-shift").waitFor();
  await page.reload();
  assert.match(await page.getByLabel("Definition as YAML").inputValue(), /0 3 \* \* \*/, "the draft is kept");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await owner.getByRole("button", { name: "Take theirs" }).click();
  await conflict.getByRole("button", { name: "Go on against version 2" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".toast").getByText("made_here is saved as version 3.").waitFor();
  await page.context().close();
});

test("a node tells its load and its life, the checks are made again, and a dead worker is found among failovers", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const workers = page.getByRole("table", { name: "Workers" });
  const live = workers.getByRole("row").filter({ hasText: "online" }).first();
  await live.getByRole("meter", { name: "CPU" }).waitFor();
  await live.getByRole("button", { name: /^Details of/ }).click();
  await workers.getByRole("list", { name: "How far it came" }).getByText("ready").waitFor();
  await workers.getByText("Threads").waitFor();
  await page.getByRole("img", { name: /^Leaders of the last 24 hours/ }).waitFor();
  await page.getByRole("tab", { name: "Health" }).click();
  await page.getByRole("heading", { name: "Database" }).waitFor();
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByRole("tab", { name: "Failovers" }).click();
  await page.getByLabel("Type").selectOption("worker_crash");
  const crash = page.getByRole("row").filter({ hasText: "w-a" });
  await crash.getByRole("link").click({ timeout: 60_000 }); // it is dead when its session is over
  const drawer = page.getByRole("dialog");
  await drawer.getByText(/^no beat for/).waitFor();
  assert.match(page.url(), /id=\d+/, "a failover has an address");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Policy" }).click();
  await page.getByRole("button", { name: "Edit Worker crash" }).click();
  await drawer.getByLabel("Needs a person after").fill("1s");
  await drawer.getByRole("button", { name: "Save" }).click();
  await drawer.getByText("FOL-1176").waitFor();
  await drawer.getByLabel("Needs a person after").fill("2m");
  await drawer.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("The policy is saved: Worker crash.").waitFor();
  await page.context().close();
});

test("a job and a node tell how their runs went, in a range that stands in the address", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/tick?tab=stats`);
  await page.getByRole("img", { name: "Runs that ended, per hour" }).waitFor({ timeout: 60_000 }); // they are counted
  await page.getByLabel("Range").selectOption({ label: "Last hour" });
  await page.waitForURL(/span=1h/);
  await page.getByRole("img", { name: "Runs that ended, per minute" }).waitFor();
  await page.getByRole("img", { name: /^Queue delay/ }).waitFor();
  await page.getByRole("table", { name: "On each node" }).getByText("100 %").waitFor();
  await page.getByText("The figures of the charts as a table").click();
  assert.deepEqual(await violations(page, "{}"), [], "figures as a table");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page
    .getByRole("table", { name: /^The figures/ })
    .getByRole("link")
    .first()
    .click();
  await page.waitForURL(/tab=day/);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${server.url}/nodes`);
  const live = page
    .getByRole("table", { name: "Workers" })
    .getByRole("row")
    .filter({ hasText: "online", hasNotText: "w-a" });
  await live
    .first()
    .getByRole("button", { name: /^Details of/ })
    .click();
  const unplaced = page.getByRole("region", { name: "Runs that no worker takes" });
  await unplaced.getByRole("link", { name: "unserved" }).waitFor({ timeout: 180_000 }); // it is told after a minute
  await unplaced.getByText("far:unserved").first().waitFor();
  const figures = page.getByRole("region", { name: /^Statistics of/ });
  await figures.getByText("queue delay p99").waitFor();
  await figures.getByRole("img", { name: "Duration" }).waitFor();
  assert.deepEqual(await violations(page, "{}"), [], "a node with its figures");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.context().close();
});

test("all jobs of a filter are paused together after they were listed, and one press takes that back", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?q=daily`);
  const table = page.getByRole("table", { name: "List of jobs" });
  await table.getByText("daily").waitFor();
  await page.getByRole("button", { name: "All of these …" }).click();
  await page.getByRole("menuitem", { name: "Pause all" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("list", { name: "List of jobs" }).getByText("daily").waitFor();
  await dialog.getByRole("button", { name: "Pause these 1 jobs" }).click();
  const toast = page.locator(".toast", { hasText: "Paused: 1." });
  await table.getByText("paused").waitFor();
  await toast.getByRole("button", { name: "Undo" }).click();
  await table.getByText("paused").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "All of these …" }).click();
  await page.getByRole("menuitem", { name: "Delete all" }).click();
  assert.equal(await dialog.getByRole("button", { name: "Delete these 1 jobs" }).isDisabled(), true);
  await page.context().close();
});

test("a view is saved under a name, opened again from another page, and forgotten", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?failing=true`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("failing");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("The view failing is saved.").waitFor();
  await page.goto(`${server.url}/locks`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "failing", exact: true }).click();
  await page.waitForURL(`${server.url}/jobs?failing=true`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "Forget failing" }).click();
  await dialog.getByRole("button", { name: "Forget" }).click();
  await page.locator(".toast").getByText("The view failing is gone.").waitFor();
  await page.context().close();
});

test("all failed runs of a job are retried together, after they were listed", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs?job=markup&state=FAILED`);
  await page.getByRole("button", { name: /^Retry these \d+$/ }).click();
  const dialog = page.getByRole("dialog");
  const listed = await dialog.getByRole("link", { name: "markup" }).count();
  await dialog.getByRole("button", { name: `Retry these ${listed}` }).click();
  await page
    .locator(".toast")
    .getByText(new RegExp(`^${listed} runs?\\.`))
    .waitFor();
  await page.context().close();
});

test("a token is shown once, and works until it is revoked", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/tokens`);
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("dashboard");
  await dialog.getByRole("button", { name: "Make the token" }).click();
  const secret = (await dialog.locator(".command pre").textContent()) ?? "";
  const ask = () => fetch(`${server.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${secret}` } });
  assert.equal((await ask()).status, 200);
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  await page.getByRole("button", { name: "Revoke dashboard" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.locator(".toast").getByText("dashboard was revoked.").waitFor();
  assert.equal((await ask()).status, 401);
  assert.equal((await page.content()).includes(secret), false);
  await page.context().close();
});

test("a session that ends in the middle of a form keeps what was written", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "Trigger slow" }).click();
  await page.getByRole("dialog").getByLabel("name").fill("Grace");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  // A list that is read anew meanwhile may be refused before the form is: either opens the dialog over it.
  const send = page.getByRole("dialog").getByRole("button", { name: "Trigger", exact: true });
  await send.click({ timeout: 2000 }).catch(() => undefined);
  await page.getByText("Your session has ended.").waitFor();
  await page.getByLabel("Token or code").fill(process.env.FOLIOT_TOKEN ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Your session has ended.").waitFor({ state: "detached" });
  assert.equal(await page.getByRole("dialog").getByLabel("name").inputValue(), "Grace");
  await page.context().addCookies(cookies);
  await page.context().close();
});

test("markup in names, descriptions, parameters, logs and errors is shown as text", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/markup`);
  await page.getByText(MARKUP).first().waitFor();
  await page.goto(`${server.url}/runs?job=markup`);
  await page.locator("tbody a.mono").first().click();
  await page.getByRole("log").getByText(MARKUP).first().waitFor();
  await page.locator("pre.box").getByText(MARKUP).waitFor();
  await page.getByRole("tab", { name: "Parameters and result" }).click();
  await page.getByRole("region", { name: "Parameters" }).getByText("onerror").waitFor();
  await page.getByRole("tab", { name: "Attempts" }).click();
  await page.getByText(MARKUP).first().waitFor();
  await page.goto(server.url);
  await page.locator("#needs").waitFor();
  assert.equal(await page.evaluate("window.hacked"), undefined);
  await page.context().close();
});

describe("every page", () => {
  let paths: [path: string, ready: string][];

  before(async () => {
    const page = await pageOf();
    await page.goto(`${server.url}/runs?job=slow`);
    const run = (await page.locator("tbody a.mono").first().getAttribute("href")) ?? "";
    paths = [
      ["/", "#next"],
      ["/jobs", "tbody tr"],
      ["/jobs/default/tick", "tbody tr"],
      ["/jobs/default/tick?tab=day", "#past"],
      ["/jobs/default/tick?tab=calendar", ".year a.cell"],
      ["/jobs/default/tick?tab=stats&span=1h", ".stats .chart"],
      ["/jobs/default/tick?tab=versions", ".lines li"],
      ["/jobs/default/tick?tab=definition", ".command pre"],
      ["/jobs/default/tick/edit", "[role=status] table"],
      ["/runs", "tbody tr"],
      [run, ".log .line"],
      [`${run}?tab=data`, ".command pre"],
      [`${run}?tab=attempts`, ".lines li"],
      [`${run}?tab=timeline`, ".lines li"],
      ["/nodes", "#servers"],
      ["/nodes?tab=health", ".checks li"],
      ["/nodes?tab=failovers", "tbody tr"],
      ["/nodes?tab=policy", "tbody tr"],
      ["/nodes?tab=drills", ".empty"],
      ["/backfills", ".lines li"],
      ["/calendars?name=cn-workdays", "#calendar"],
      ["/locks", "tbody tr"],
      ["/events", ".lines li"],
      ["/tokens", "tbody tr"],
      ["/settings", "#about"],
    ];
    await page.context().close();
  });

  // Two walks for five questions: a page is loaded twice, not five times.
  test("has no violation of accessibility, fits 360 pixels without scrolling sideways, needs few calls", async () => {
    const page = await pageOf();
    const calls = new Calls();
    calls.watch(page);
    for (const [path, ready] of paths) {
      await page.setViewportSize({ width: 1440, height: 900 });
      calls.made.length = 0;
      await page.goto(server.url + path);
      await page.locator(ready).first().waitFor();
      const own = calls.ofThePage();
      assert.ok(own.length <= CALLS_MAX, `${path} makes ${own.length} calls: ${own.join(", ")}`);
      assert.deepEqual(await violations(page, "{}"), [], path);
      const wide = await widthAt(page, 360);
      assert.ok(wide <= 360, `${path} is ${wide} pixels wide`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "Trigger slow" }).click();
    await page.getByRole("dialog").getByLabel("name").waitFor();
    assert.deepEqual(await violations(page, "{}"), [], "the form of a trigger");
    await page.context().close();
  });

  test("has enough contrast in the dark theme, and no English word left in Chinese", async () => {
    const page = await pageOf({ theme: "dark", language: "zh-CN" });
    for (const [path, ready] of paths) {
      await page.goto(server.url + path);
      await page.locator(ready).first().waitFor();
      await page.locator('.chip[data-is="live"]').waitFor();
      assert.deepEqual(await violations(page, '{ runOnly: ["color-contrast"] }'), [], path);
      assert.deepEqual(await englishIn(page), [], path);
    }
    await page.context().close();
  });
});

test("no page complained: no error, nothing that the content policy refused, no other host", () => {
  assert.deepEqual(complaints.found, []);
});

interface Violation {
  id: string;
  nodes: { html: string }[];
}

async function violations(page: Page, rules: string): Promise<string[]> {
  // The content policy lets no script into the page: the tool comes in beside it, as the browser's own tools do.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(${rules})`)) as { violations: Violation[] };
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

/** How wide a page is in a window of this width. */
async function widthAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 740 });
  return await page.evaluate(() => {
    const main = document.querySelector("main");
    return Math.max(document.documentElement.scrollWidth, main?.scrollWidth ?? 0);
  });
}

/** Words in Latin letters that are neither names, code nor ids (these say translate="no"). */
async function englishIn(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || parent.closest('[translate="no"], script, style, .why, .raw')) continue;
      const text = (walker.currentNode.textContent ?? "").replace(
        /\b(API|JSON|Foliot|INFO|WARNING|ERROR)\b/g,
        "",
      );
      if (/[A-Za-z]{2,}/.test(text)) found.push(text.trim());
    }
    return found;
  });
}
