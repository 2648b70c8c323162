/// What holds on every page: markup is text, accessibility, narrow windows, few calls, both languages.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { Calls, opened } from "../browser.ts";
import { englishIn, untilWithin, violations, widthAt } from "./looking.ts";
import { browser, pageOf, server, today } from "./window.ts";

const CALLS_MAX = 4;
const COUNTED_MS = 15_000;
const FLOAT = "[role=dialog], [role=menu]";
const TRIES = 5; // a run is counted within a minute after its end, and a report is read once a minute
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

test("markup in names, descriptions, parameters, logs and errors is shown as text", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/markup`);
  await page.getByText(MARKUP).first().waitFor();
  await page.goto(`${server.url}/runs?job=markup`);
  // The oldest run has parameters of its own; other walks may have made newer ones without.
  await page.locator("tbody a.mono").first().waitFor();
  await page.locator("tbody a.mono").last().click();
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
    await page.goto(`${server.url}/runs?job=slow&state=SUCCEEDED`);
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
      ["/jobs/new", "main form"],
      ["/runs", "tbody tr"],
      [run, ".log .line"],
      [`${run}?tab=data`, ".command pre"],
      [`${run}?tab=attempts`, ".lines li"],
      [`${run}?tab=timeline`, ".lines li"],
      [`/runs/compare?one=${run.slice(6)}&other=${run.slice(6)}`, ".pairlog td"],
      ["/nodes", "#servers"],
      ["/nodes?tab=health", ".checks li"],
      ["/nodes?tab=policy", "tbody tr"],
      ["/nodes?tab=drills", ".empty"],
      ["/jobs/default/charge?tab=alerts", ".alertline"],
      ["/alerts", ".alertline"],
      ["/alerts?tab=history", ".empty, .alertline"],
      ["/alerts?tab=rules", "tbody tr"],
      ["/alerts?tab=channels", "tbody tr"],
      ["/alerts?tab=silences", ".empty, tbody tr"],
      ["/checks", "tbody tr"],
      ["/checks?name=nightly-backup", "[role=dialog] #pings ~ div li"],
      ["/reports?tab=weekly", "#short"],
      ["/reports?tab=schedules", "tbody tr"],
      ["/backfills", ".lines li"],
      ["/calendars?name=cn-workdays", "#calendar"],
      ["/limits?name=ledger-db", "#users"],
      ["/locks", "tbody tr"],
      ["/events", ".lines li"],
      ["/events?tab=skips", ".empty, .lines li"],
      ["/tokens", "tbody tr"],
      ["/settings", "#about"],
      // Runs are counted some seconds after their end, and a worker is dead when its session is over.
      [`/reports?date=${today()}`, "#failing"],
      ["/nodes?tab=failovers", "tbody tr"],
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
      await openUntil(page, path, ready, calls);
      const own = calls.ofThePage();
      assert.ok(own.length <= CALLS_MAX, `${path} makes ${own.length} calls: ${own.join(", ")}`);
      assert.deepEqual(await violations(page), [], path);
      const wide = await widthAt(page, 360);
      assert.ok(wide <= 360, `${path} is ${wide} pixels wide`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "Trigger slow" }).click();
    await page.getByRole("dialog").getByLabel("name").waitFor();
    assert.deepEqual(await violations(page), [], "the form of a trigger");
    await page.goto(server.url);
    await page.getByText("Figures as a table").last().waitFor();
    for (const summary of await page.getByText("Figures as a table").all()) await summary.click();
    await page.getByRole("table", { name: /^Instants that are due/ }).waitFor();
    assert.deepEqual(await violations(page), [], "the figures of the overview");
    assert.ok((await widthAt(page, 360)) <= 360);
    await page.context().close();
  });

  test("has no violation of accessibility in the dark theme either, and no English word left in Chinese", async () => {
    const page = await pageOf({ theme: "dark", language: "zh-CN" });
    for (const [path, ready] of paths) {
      await openUntil(page, path, ready);
      await page.locator('.chip[data-is="live"]').waitFor();
      assert.deepEqual(await violations(page), [], path);
      assert.deepEqual(await englishIn(page), [], path);
    }
    await page.context().close();
  });
});

/** What floats over a page, and what is there before one is logged in. */
describe("what is no page of its own", () => {
  const floats: [name: string, path: string, open: (page: Page) => Promise<void>][] = [
    ["the search", "/jobs", (page) => page.keyboard.press("ControlOrMeta+k")],
    ["the list of keys", "/jobs", (page) => page.keyboard.press("?")],
    ["a drain", "/nodes", (page) => page.locator("#workers ~ table .tight button").first().click()],
    ["a pause", "/jobs/default/daily", (page) => page.locator('.acts [data-key="p"]').click()],
    ["a retry", "/runs?job=markup&state=FAILED", openRetry],
    ["a new token", "/tokens", (page) => page.locator(".acts button").click()],
    ["the account", "/settings", (page) => page.locator(".head [aria-haspopup=menu]").last().click()],
  ];

  for (const look of [{}, { theme: "dark", language: "zh-CN" }] as const) {
    test(`has no violation of accessibility and fits 360 pixels: ${"language" in look ? look.language : "en"}`, async () => {
      const page = await pageOf(look);
      for (const [name, path, open] of floats) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(server.url + path);
        await page.locator('.chip[data-is="live"]').waitFor();
        await page.locator("main table, main .columns, main .title .acts").first().waitFor();
        await open(page);
        await page.locator(FLOAT).first().waitFor();
        assert.deepEqual(await violations(page), [], name);
        if ("language" in look) assert.deepEqual(await wholeEnglishIn(page), [], name);
        await page.setViewportSize({ width: 360, height: 740 });
        await assert.doesNotReject(untilWithin(page, FLOAT, 360), `${name} is cut off`);
        assert.ok((await widthAt(page, 360)) <= 360, name);
      }
      await page.context().close();
    });

    test(`so is the way in: ${"language" in look ? look.language : "en"}`, async () => {
      const context = await opened(browser, look);
      const page = await context.newPage();
      for (const address of ["/login", "/login#AAAA-BBBB-CCCC"]) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto("about:blank"); // another place behind the # alone would open nothing anew
        await page.goto(server.url + address);
        await page.locator("form").waitFor();
        // A link that was used or is too old says so, and the form for a token stands below.
        if (address.includes("#")) await page.getByRole("alert").getByText("FOL-4003").waitFor();
        assert.equal(page.url(), `${server.url}/login`, "the code is out of the address");
        assert.deepEqual(await violations(page), [], address);
        if ("language" in look) assert.deepEqual(await wholeEnglishIn(page), [], address);
        assert.ok((await widthAt(page, 360)) <= 360, address);
      }
      await context.close();
    });
  }
});

/** Sentences of dialogs and of the server have names and commands within them. */
async function wholeEnglishIn(page: Page): Promise<string[]> {
  return (await englishIn(page)).filter((text) => !/\p{Script=Han}|^foliot /u.test(text));
}

async function openRetry(page: Page): Promise<void> {
  await page.locator("tbody a.mono").first().click();
  await page.getByRole("button", { name: /^(Retry|重试)$/ }).click();
}

/** Opens a page, and opens it again while what it is about has not been counted yet. */
async function openUntil(page: Page, path: string, ready: string, calls?: Calls): Promise<void> {
  for (let left = TRIES; ; left--) {
    if (calls) calls.made.length = 0;
    await page.goto(server.url + path);
    try {
      await page.locator(ready).first().waitFor({ timeout: COUNTED_MS });
      return;
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}
