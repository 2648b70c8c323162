/// `foliot up` is killed and comes back while somebody looks: the page stays, says so, goes on, and nothing is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { asked, Complaints, type Look, launched, logIn, opened } from "./browser.ts";

const server = asked();
const { url } = server;
const hands = process.env.FOLIOT_HANDS ?? "";
const LONG_MS = 60_000; // a machine with other work starts it slowly
const TICK_MS = 5000; // how often the job tick is due
const complaints = new Complaints();
let browser: Browser;
let state: Required<Look>["state"];

before(async () => {
  browser = await launched();
  const context = await opened(browser);
  await logIn(await context.newPage(), server);
  state = await context.storageState();
  await context.close();
});
after(async () => {
  await browser.close();
});

async function told(what: "kill" | "start"): Promise<void> {
  const answer = await fetch(`${hands}/${what}`, { method: "POST" });
  assert.equal(answer.status, 200, await answer.text());
}

async function at(path: string): Promise<Page> {
  const context = await opened(browser, { state });
  context.setDefaultTimeout(LONG_MS);
  const page = await context.newPage();
  complaints.watch(page, url);
  await page.goto(url + path);
  await chip(page, "live").waitFor();
  return page;
}

const chip = (page: Page, is: string): Locator => page.locator(`.chip[data-is="${is}"]`);

test("a run, its log, a form and the session outlive a foliot up that is killed", async () => {
  const one = await at("/jobs/default/counter");
  await one.getByRole("button", { name: "Trigger" }).click();
  await one.getByRole("dialog").getByRole("button", { name: "Trigger", exact: true }).click();
  const lines = one.getByRole("log").locator(".line");
  await lines.filter({ hasText: /number=1$/ }).waitFor();
  const other = await at("/jobs/default/daily");
  await other.getByRole("button", { name: "Pause" }).click();
  const dialog = other.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("the machine is moved");

  const before = await newest(other, "tick");
  await told("kill");
  for (const page of [one, other]) {
    await chip(page, "waiting")
      .getByText(/reconnecting in \d+ s/)
      .waitFor();
  }
  assert.ok((await lines.count()) > 0, "what was read stays");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await dialog.getByText("The server does not answer.").waitFor();
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "the machine is moved");

  await told("start");
  for (const page of [one, other]) await chip(page, "live").waitFor();
  await dialog.getByRole("button", { name: "Pause" }).click();
  await other.locator(".title").getByText("paused").waitFor();
  await other.goto(`${url}/events?subject=daily`);
  await other.getByText("the machine is moved").first().waitFor();
  assert.equal(await other.getByText("the machine is moved").count(), 1, "paused once");

  await other.goto(`${url}/jobs/default/tick?tab=day`);
  await other.locator("#past ~ ul li").first().waitFor();
  await until(async () => (await newest(other, "tick")) > before + 2 * TICK_MS);
  assert.deepEqual(await undecided(other, "tick", before), [], "each instant has a run or a reason");
  // It runs again once the worker that died with it is called dead, which takes longer than this walk.
  await one
    .locator(".title")
    .getByText(/running|retrying|pending|held|succeeded/)
    .waitFor();
  const kept = await lines.allTextContents();
  assert.match(
    kept.find((line) => /number=/.test(line)) ?? "",
    /number=0$/,
    "the log is there from its beginning",
  );
  assert.equal(await one.getByRole("alert").count(), 0, "what could not be read meanwhile is there");
  await one.context().close();
  await other.context().close();
});

interface Fire {
  due_at: string;
  from_at: string | null;
  to_at: string | null;
}

async function fires(page: Page, job: string, sinceMs: number): Promise<Fire[]> {
  const from = new Date(sinceMs).toISOString();
  const answer = await page.request.get(`${url}/api/v1/jobs/${job}/fires`, { params: { from, limit: 200 } });
  assert.ok(answer.ok(), await answer.text());
  return ((await answer.json()) as { past: Fire[] }).past;
}

/** The newest instant that was decided. */
async function newest(page: Page, job: string): Promise<number> {
  const past = await fires(page, job, Date.now() - 600_000);
  return Math.max(...past.map((fire) => Date.parse(fire.to_at ?? fire.due_at)));
}

/** Instants of a job with a beat of `TICK_MS` that neither made a run nor were skipped, up to the newest decided. */
async function undecided(page: Page, job: string, sinceMs: number): Promise<string[]> {
  const past = await fires(page, job, sinceMs);
  const decided = new Set<number>();
  for (const fire of past) {
    const last = Date.parse(fire.to_at ?? fire.due_at);
    for (let at = Date.parse(fire.from_at ?? fire.due_at); at <= last; at += TICK_MS) decided.add(at);
  }
  const missing: string[] = [];
  for (let at = sinceMs; at <= Math.max(...decided); at += TICK_MS) {
    if (!decided.has(at)) missing.push(new Date(at).toISOString());
  }
  return missing;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200));
}

test("no page complained", () => {
  const gone = /ERR_(CONNECTION|SOCKET|EMPTY|INCOMPLETE|NETWORK)|status of 50[234]/;
  assert.deepEqual(
    complaints.found.filter((text) => !gone.test(text)),
    [],
  );
});
