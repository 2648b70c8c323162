/// A large cluster in the browser, by counts: rows that are drawn, requests that a page makes, what a filter finds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { Calls, Complaints, type Look, launched, loggedIn, opened } from "./browser.ts";

const url = process.env.FOLIOT_URL ?? "";
const sharded = process.env.FOLIOT_SHARDED ?? "";
const longLog = process.env.FOLIOT_LONG_LOG ?? "";
const last = process.env.FOLIOT_LAST_JOB ?? "";
const nodes = Number(process.env.FOLIOT_NODES ?? "0");
const shards = Number(process.env.FOLIOT_SHARDS ?? "0");
const ELEMENTS_MAX = 7000;
const complaints = new Complaints();
let browser: Browser;
let state: Required<Look>["state"];
let page: Page;

before(async () => {
  browser = await launched();
  state = await loggedIn(browser, url);
  const context = await opened(browser, { state });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
  complaints.watch(page, url);
});
after(() => browser.close());

async function at(path: string, ready: string): Promise<void> {
  await page.goto("about:blank"); // what the page before still asks for is not this page's
  const calls = new Calls();
  calls.watch(page);
  await page.goto(url + path);
  await page.locator(ready).first().waitFor();
  await calls.untilQuiet(page);
  assert.ok(calls.ofThePage().length <= 4, `${path}: ${calls.ofThePage().join(", ")}`);
  assert.deepEqual(calls.repeated(), [], path);
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(elements < ELEMENTS_MAX, `${path} draws ${elements} elements`);
  page.removeAllListeners("request");
}

test("a filter finds the last of all jobs, in one answer", async () => {
  await at("/jobs", "tbody tr");
  assert.equal(await page.locator("tbody tr").count(), 100);
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes(`q=${last}`) && asked.push(request.url()));
  await page.locator("[data-filter]").fill(last);
  await page.locator("tbody tr:first-child:last-child", { hasText: last }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  assert.equal(new Set(asked).size, 1);
  await page.getByRole("link", { name: last, exact: true }).click();
  await page.locator("h1", { hasText: last }).waitFor();
});

test("a row opens by a press, by Enter or in a tab of its own, and back stands where it was", async () => {
  await at("/jobs", "tbody tr:nth-child(100)");
  const link = page.locator("tbody tr:nth-child(80) a.name");
  const name = (await link.textContent()) ?? "";
  await link.scrollIntoViewIfNeeded();
  const top = async () => Math.round((await link.boundingBox())?.y ?? -1);
  const before = await top();
  for (const press of [
    () => link.click({ button: "middle" }),
    () => link.click({ modifiers: ["ControlOrMeta"] }),
  ]) {
    const [tab] = await Promise.all([page.context().waitForEvent("page"), press()]);
    await tab.locator("h1", { hasText: name }).waitFor();
    await tab.close();
    assert.ok(page.url().endsWith("/jobs"));
  }
  for (const open of [() => link.click(), () => link.press("Enter")]) {
    await open();
    await page.locator("h1", { hasText: name }).waitFor();
    await page.goBack();
    await link.waitFor();
    assert.equal(await top(), before);
    await page.locator("tbody tr:nth-child(80) .strip a").first().waitFor(); // bars out of sight come behind the rows
    assert.equal(await top(), before);
  }
});

test("of many nodes some are drawn, and the others at a press", async () => {
  await at("/nodes", "#workers");
  const rows = page.locator("section[aria-labelledby=workers] tbody tr");
  assert.equal(await rows.count(), 100);
  await page.getByText(`100 of ${nodes} are shown`).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await rows.nth(nodes - 1).waitFor();
});

test("all shards of a run can be seen, and which is the slowest of all", async () => {
  await at(`/runs/${sharded}?tab=shards`, ".gantt li");
  await page
    .locator(".facts", { hasText: "Slowest:" })
    .getByText(`Shard ${shards - 1}`)
    .waitFor();
  const rows = page.locator(".gantt li");
  assert.equal(await rows.count(), 200);
  await page.getByRole("button", { name: "Show more" }).click();
  await rows.nth(shards - 1).waitFor();
  await page.getByRole("button", { name: "Retry failed shards" }).waitFor();
});

test("the lines of all shards are read together, from the tail back, or those of one shard", async () => {
  await at(`/runs/${sharded}`, ".log .line");
  assert.match((await page.locator(".log .line").last().textContent()) ?? "", /^#\d+ /);
  await page.getByText("The last 2000 lines are shown.").waitFor();
  await page.getByRole("button", { name: /earlier/i }).click();
  await page.getByText("The last 4000 lines are shown.").waitFor();
  assert.ok((await page.locator(".log .line").count()) < 150);
  await page.getByRole("textbox", { name: "Shard" }).fill("7");
  await page.locator(".log .line", { hasText: /^#/ }).first().waitFor({ state: "detached" });
  await page.locator(".log .line").nth(19).waitFor();
  assert.equal(await page.locator(".log .line").count(), 20);
});

test("a long log opens at its tail, draws what is in sight, and goes back", async () => {
  await at(`/runs/${longLog}`, ".log .line");
  assert.ok((await page.locator(".log .line").count()) < 150);
  await page.getByText("The last 2000 lines are shown.").waitFor();
  await page.getByRole("button", { name: /earlier/i }).click();
  await page.getByText("The last 4000 lines are shown.").waitFor();
  assert.ok((await page.locator(".log .line").count()) < 150);
});

test("a line has an address: it opens there, however long the log, and leads on to the end", async () => {
  const aimed = page.locator('.log .line[aria-current="true"]');
  for (const [run, start] of [
    [longLog, "1:0"],
    [sharded, "0:0:1:0"],
  ] as const) {
    const lines = (query: string) => page.request.get(`${url}/api/v1/runs/${run}/lines?${query}`);
    const { items } = (await (await lines(`after=${start}&limit=700`)).json()) as {
      items: { position: string; text: string }[];
    };
    for (const [place, more] of [
      [0, 1],
      [600, 2],
    ] as const) {
      const wanted = items[place];
      assert.ok(wanted);
      await at(`/runs/${run}?line=${wanted.position}`, '.log .line[aria-current="true"]');
      assert.equal(((await aimed.textContent()) ?? "").slice(-30), wanted.text.slice(-30));
      // In front of it there is more when it is not the first; behind it always.
      const shown = page.locator(".filters ~ p button");
      await shown.nth(more).waitFor();
      assert.equal(await shown.count(), more + 1);
    }
  }
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText("The last 2000 lines are shown.").waitFor();
  assert.ok(!page.url().includes("line="));
  const line = page.locator(".log .line").last();
  const text = await line.textContent();
  await line.locator("a").click();
  await page.waitForURL(/line=/);
  assert.equal(await aimed.textContent(), text);
});

test("no page complained", () => assert.deepEqual(complaints.found, []));
