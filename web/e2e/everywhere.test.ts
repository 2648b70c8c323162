/// What holds on every page: views are links, rows stay where they are, errors stay small, hidden pages are quiet.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { asked, Calls, Complaints, type Look, launched, loggedIn, opened, withoutJobs } from "./browser.ts";

const { url } = asked();
const complaints = new Complaints();
const BATCH = 5000;
const BATCHES = 6;
let browser: Browser;
let context: BrowserContext;
let state: Required<Look>["state"];

before(async () => {
  browser = await launched();
  state = await loggedIn(browser, url);
  context = await opened(browser, { state });
});
afterEach(async () => {
  for (const page of context.pages()) await page.close(); // each has streams open, and a browser has six at most
});
after(async () => {
  await browser.close();
});

async function at(path: string, inside = context): Promise<Page> {
  const page = await inside.newPage();
  complaints.watch(page, url);
  await page.goto(url + path);
  await page.locator('.chip[data-is="live"]').waitFor();
  return page;
}

async function ask(method: string, path: string, data?: object): Promise<Record<string, unknown>> {
  const headers = { "X-Foliot-Csrf": "1" };
  const answer = await context.request.fetch(url + path, { method, headers, ...(data && { data }) });
  assert.ok(answer.ok(), await answer.text());
  return (await answer.json()) as Record<string, unknown>;
}

test("filters, sort and tab stand in the address: another window shows the same, and back goes back", async () => {
  const page = await at("/jobs");
  await page.getByLabel("State").selectOption({ label: "active" });
  await page.getByLabel("Order", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Name, description or owner").fill("daily");
  await page.waitForURL(/q=daily/);
  const address = new URL(page.url());
  assert.deepEqual([...address.searchParams.keys()].sort(), ["q", "sort", "state"]);
  const names = (shown: Page) => shown.locator("tbody .first a").allTextContents();
  await page.locator("tbody tr", { hasText: "tick" }).waitFor({ state: "detached" });
  const other = await at(address.pathname + address.search);
  await other.locator("tbody tr").first().waitFor();
  assert.deepEqual(await names(other), await names(page));
  await other.close();
  await page.locator("tbody .first a").first().click();
  await page.getByRole("tab", { name: "Definition" }).click();
  await page.waitForURL(/tab=definition/);
  await page.goBack();
  await page.waitForURL(address.href);
});

test("a namespace is chosen for all lists, stands in the address, and goes with each link", async () => {
  const definition = { run: { python: "jobs:daily" }, schedule: { cron: "0 3 * * *", tz: "Europe/Berlin" } };
  const pay = `pay-${process.pid}`;
  await ask("POST", `/api/v1/jobs?namespace=${pay}`, { name: "pay_out", definition });
  const page = await at("/jobs");
  const rows = page.locator("tbody tr");
  await rows.nth(2).waitFor();
  await page.getByLabel("Namespace", { exact: true }).selectOption(pay);
  await page.waitForURL(`${url}/jobs?in=${pay}`);
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByRole("link", { name: `${pay} / pay_out` }).click();
  await page.waitForURL(`${url}/jobs/${pay}/pay_out?in=${pay}`);
  const zone = page.getByLabel("Time zone");
  await zone.selectOption("Europe/Berlin"); // that of the job, on its page
  await page.locator(".facts").getByText("03:00:00").first().waitFor();
  await page.locator(".rail").getByRole("link", { name: "Runs", exact: true }).click();
  await page.waitForURL(`${url}/runs?in=${pay}`);
  assert.equal(await zone.inputValue(), "Asia/Shanghai");
  await page.getByText("No runs match.").waitFor();
  const other = await at(`/jobs?in=${pay}`);
  await other.locator("tbody tr").waitFor();
  assert.equal(await other.locator("tbody tr").count(), 1);
  assert.equal(await other.getByLabel("Namespace", { exact: true }).inputValue(), pay);
  await page.getByLabel("Namespace", { exact: true }).selectOption({ label: "All namespaces" });
  await page.waitForURL(`${url}/runs`);
  await rows.first().waitFor();
});

test("where nothing is yet, the overview says how a first job is made", async () => {
  const page = await context.newPage();
  complaints.watch(page, url);
  const namespaces: string[] = [];
  await withoutJobs(page, namespaces);
  await page.goto(url);
  const first = page.getByRole("region", { name: "Your first job" });
  for (const text of ["@job(every(", "foliot up", "foliot job trigger hello"])
    await first.locator(".command pre", { hasText: text }).waitFor();
  namespaces.push("default"); // there are jobs, and they rest
  await page.reload();
  await page.locator("#next ~ p").waitFor();
  assert.equal(await first.count(), 0);
  const needs = page.getByRole("region", { name: "Needs attention" });
  await needs.getByText("All quiet.").waitFor();
  await needs.getByText("Last failure").locator("a.mono").waitFor();
});

test("on a phone a namespace is chosen, and the chip says what is not well; the seconds are seen, not spoken", async () => {
  const lab = `lab-${process.pid}`;
  const definition = { run: { python: "jobs:daily" }, schedule: { cron: "0 3 * * *" } };
  await ask("POST", `/api/v1/jobs?namespace=${lab}`, { name: "pay_out", definition });
  const page = await at("/jobs");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByLabel("Namespace", { exact: true }).selectOption(lab);
  await page.getByRole("link", { name: `${lab} / pay_out` }).waitFor();
  await page.goto(`${url}/events?in=${lab}`);
  await page.getByText("elected leader").first().waitFor(); // the cluster is that of every namespace
  const chip = page.locator(".chip");
  const spoken = page.locator(".head [role=status]");
  await spoken.getByText("live", { exact: true }).waitFor();
  assert.ok(((await chip.boundingBox())?.width ?? 99) <= 20, "that all is well is a dot");
  await page.route("**/api/v1/events*", (route) => route.abort("connectionrefused"));
  await page.reload();
  await chip.getByText(/^reconnecting in [34] s/).waitFor();
  await spoken.getByText("the connection broke: it is tried again").waitFor();
  const said: string[] = [];
  await page.exposeFunction("heard", (text: string) => said.push(text));
  await page.evaluate(() => {
    const place = document.querySelector(".head [role=status]") as Node;
    const told = (globalThis as unknown as { heard: (text: string) => void }).heard;
    new MutationObserver(() => told(place.textContent ?? "")).observe(place, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  await chip.getByText(/^reconnecting in 1 s/).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels wide`);
  assert.deepEqual(said, []);
  await page.unroute("**/api/v1/events*");
  await spoken.getByText("live", { exact: true }).waitFor();
  await until(() => said.length > 0);
  assert.deepEqual(said, ["live"]);
});

test("a star that cannot be kept says why, until somebody puts it away", async () => {
  const page = await at("/jobs");
  const problem = { detail: "Too many views.", hint: "Forget one.", code: "FOL-9999" };
  await page.route("**/api/v1/views/*", (route) => route.fulfill({ status: 422, json: problem }));
  await page.locator("tbody .star").first().click();
  const toast = page.locator(".toast.bad");
  for (const text of Object.values(problem)) await toast.getByText(text).waitFor();
  await toast.getByRole("button", { name: "Close" }).click();
  await toast.waitFor({ state: "detached" });
});

test("in a narrower window the rail has its icons alone, each with its word", async () => {
  const page = await at("/jobs");
  await page.setViewportSize({ width: 1000, height: 800 });
  const link = page.locator(".rail").getByRole("link", { name: "Runs", exact: true });
  assert.ok(((await link.boundingBox())?.width ?? 99) <= 56);
  await link.click();
  await page.waitForURL(`${url}/runs`);
});

test("rows do not jump: what is new waits while the pointer is on the list", async () => {
  const page = await at("/runs?job=slow");
  const first = page.locator("tbody tr").first();
  await first.hover();
  const before = await first.locator("a.mono").textContent();
  const made = await ask("POST", "/api/v1/jobs/slow:trigger", {});
  const pill = page.getByRole("button", { name: /1 new run/ });
  await pill.waitFor();
  assert.equal(await first.locator("a.mono").textContent(), before);
  await pill.click();
  await page
    .locator("tbody tr", { hasText: String(made.id) })
    .getByText("succeeded")
    .waitFor();
});

test("a list of failed runs shows a run that fails while somebody looks", async () => {
  const page = await at("/runs?job=markup&state=FAILED");
  await page.locator("tbody tr").first().waitFor();
  const { id } = await ask("POST", "/api/v1/jobs/markup:trigger", {});
  await page
    .locator("tbody tr", { hasText: String(id) })
    .getByText("failed")
    .waitFor();
});

test("an error stays in its panel, says what it is, and goes with the next try", async () => {
  const page = await at("/jobs");
  const problem = { status: 400, code: "FOL-9999", detail: "The crowd is away.", hint: "Come again." };
  await page.route("**/api/v1/overview/ahead*", (route) => route.fulfill({ status: 400, json: problem }));
  await page.getByRole("link", { name: "Overview" }).click();
  const alert = page.getByRole("alert");
  for (const word of ["The crowd is away.", "Come again.", "FOL-9999"]) await alert.getByText(word).waitFor();
  await page.locator("#needs").waitFor();
  await page.locator("#next ~ ul li").first().waitFor();
  await page.unroute("**/api/v1/overview/ahead*");
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.locator(".crowd svg").waitFor();
});

test("a page that breaks takes neither the rail nor the other pages with it", async () => {
  const page = await at("/");
  await page.route("**/api/v1/jobs?*", (route) => route.fulfill({ json: { items: [{ name: "odd" }] } }));
  await page.locator(".rail").getByRole("link", { name: "Jobs", exact: true }).click();
  await page.getByRole("alert").getByText("Something on this page went wrong.").waitFor();
  await page.locator(".rail").getByRole("link", { name: "Runs", exact: true }).click();
  await page.locator("tbody tr").first().waitFor();
  const expected = complaints.found.filter((text) => /undefined|null|iterable/.test(text));
  assert.ok(expected.length > 0);
  complaints.found.length = 0;
});

test("a part that did not come takes nothing else away, and comes when it is asked for again", async () => {
  const page = await context.newPage();
  complaints.watch(page, url);
  const away = /\/assets\/(Crowd|Calendars|Views)-/;
  await page.route(away, (route) => route.abort("connectionrefused"));
  await page.goto(url);
  const crowd = page.getByRole("region", { name: "The next hour" }).getByRole("alert");
  await crowd.getByText("A part of this page did not come.").waitFor();
  await page.locator("#next ~ ul li").first().waitFor();
  const views = page.getByRole("button", { name: "Saved views: A part of this page did not come." });
  await views.waitFor();
  await page.getByRole("link", { name: "Calendars", exact: true }).click();
  const instead = page.locator("main > .problem");
  await instead.waitFor();
  await instead.getByRole("button", { name: "Try again" }).click();
  await instead.waitFor(); // it is still away
  await page.unroute(away);
  await instead.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Calendars", exact: true }).waitFor();
  await views.click();
  await page.getByRole("button", { name: "Saved views", exact: true }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".crowd svg").waitFor(); // who comes back asks again
  const expected = complaints.found.filter((text) => text.includes("a part of the console did not come"));
  assert.ok(expected.length > 0);
  complaints.found.length = 0;
});

test("a hidden page asks for nothing, whatever happens, and shows what it missed when it is seen again", async () => {
  const { id } = await ask("POST", "/api/v1/jobs/endless:trigger", {});
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`${url}/runs/${String(id)}`);
  await page.locator('.chip[data-is="live"]').waitFor();
  await page.locator(".title").getByText("running").waitFor();
  await setVisible(page, false);
  await page.locator('.chip[data-is="paused"]').waitFor();
  const calls = new Calls();
  calls.watch(page);
  await ask("POST", `/api/v1/runs/${String(id)}:cancel`, {});
  await until(async () => (await ask("GET", `/api/v1/runs/${String(id)}`)).ended_at !== null);
  await page.clock.runFor("10:00");
  assert.deepEqual(calls.made, []);
  await setVisible(page, true);
  await page.locator(".title").getByText("cancelled").waitFor();
  await page.locator('.chip[data-is="live"]').waitFor();
});

test("where nothing is heard for long, the chip says since when what is shown is old", async () => {
  const page = await context.newPage();
  complaints.watch(page, url);
  await page.clock.install();
  await page.route("**/api/v1/events*", (route) => route.abort("connectionrefused"));
  const openedMs = await page.evaluate(() => Date.now());
  await page.goto(`${url}/jobs`);
  const chip = page.locator('.chip[data-is="waiting"]');
  await chip.getByText(/^reconnecting in \d+ s/).waitFor();
  const brokenMs = await page.evaluate(() => Date.now());
  await page.clock.setSystemTime(brokenMs + 60_000); // what waits goes on waiting
  await chip.getByText(/^stale since .*\d\d:\d\d:\d\d$/).waitFor();
  const said = (await chip.textContent())?.slice(-8) ?? "";
  const time = (ms: number) =>
    new Date(ms).toLocaleTimeString("en-GB", { timeZone: "Asia/Shanghai", hourCycle: "h23" });
  assert.ok(time(openedMs) <= said && said <= time(brokenMs), `${time(openedMs)} ${said} ${time(brokenMs)}`);
  await page.locator(".head [role=status]").getByText(said).waitFor();
});

test("where no stream comes through, what is shown is read by time, and the chip says so", async () => {
  const page = await context.newPage();
  complaints.watch(page, url);
  await page.clock.install();
  await page.route("**/api/v1/events*", (route) => route.fulfill({ status: 404, json: {} }));
  await page.goto(`${url}/jobs?group=nights`);
  await page.locator('.chip[data-is="polled"]').waitFor();
  const row = page.getByRole("row", { name: /nightly_too/ });
  for (const [verb, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    await row.waitFor();
    await ask("POST", `/api/v1/jobs/nightly_too:${verb}`, {});
    await page.clock.runFor("00:16");
    await row.getByText("paused").waitFor({ state: isPaused ? "visible" : "detached" });
  }
});

test("memory is flat: after 30 000 changes the heap is as after 5000", async () => {
  const page = await context.newPage();
  let batches = 0;
  await page.route("**/api/v1/events*", async (route) => {
    batches += 1;
    if (batches <= BATCHES) await route.fulfill({ contentType: "text/event-stream", body: batchOf(batches) });
  });
  const tools = await context.newCDPSession(page);
  const heap = async () => {
    await tools.send("HeapProfiler.collectGarbage");
    return (await tools.send("Runtime.getHeapUsage")).usedSize;
  };
  await page.goto(`${url}/runs`);
  await until(() => batches > 1); // the stream is asked for again: what it said was taken
  const early = await heap();
  await until(() => batches > BATCHES);
  const late = await heap();
  assert.ok(
    late <= 1.1 * early,
    `${early} bytes after the first ${BATCH} changes, ${late} after ${BATCH * BATCHES}`,
  );
  await page.locator("tbody tr").first().waitFor();
});

test("who wants no motion sees none", async () => {
  const page = await at("/");
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter((one) => one.playState === "running").length);
  assert.equal(await moving(), 0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.notEqual(await moving(), 0, "the mark beside live");
});

test("no page complained", () => {
  assert.deepEqual(complaints.found, []);
});

/** Runs that begin and end, each another. */
function batchOf(number: number): string {
  const events = Array.from({ length: BATCH }, (_, index) => {
    const at = number * BATCH + index;
    const isOver = index % 2 === 1;
    const data = {
      subject: "tick",
      namespace: "default",
      id: `r-zz${at - (at % 2)}`,
      job: "tick",
      state: isOver ? "SUCCEEDED" : "RUNNING",
      at: "2026-11-16T06:00:00Z",
    };
    return `id: ${at}\nevent: ${isOver ? "run.ended" : "run.started"}\ndata: ${JSON.stringify(data)}\n\n`;
  });
  return events.join("");
}

async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate((seen) => {
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (seen ? "visible" : "hidden"),
    });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, isVisible);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
