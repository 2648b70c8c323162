/// What floats over pages, and what is there before one is logged in: accessibility, narrow windows, both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { Calls, opened } from "../browser.ts";
import { FLOAT, violations, wholeEnglishIn, widthAt, wrongWithFloat } from "./looking.ts";
import { browser, pageOf, server } from "./window.ts";

type Open = (page: Page) => Promise<void>;

const press =
  (place: string): Open =>
  (page) =>
    page.locator(place).first().click();
const type =
  (keys: string): Open =>
  (page) =>
    page.keyboard.press(keys);
const NEW = press(".title .acts button, .filters button");
const IN_ROW = press("main tbody .tight button");

/** Each is opened on its page, where the one before was closed by Escape. */
const SCENES: [path: string, floats: Record<string, Open>][] = [
  [
    "/jobs",
    {
      "the search": type("ControlOrMeta+k"),
      "the list of keys": type("?"),
      "the form of a trigger": press('tr:has(a[href$="/slow"]) [data-key="t"]'),
      "a verb on many jobs": openBulk,
    },
  ],
  [
    "/jobs/default/daily",
    { "a pause": press('.acts [data-key="p"]'), "a backfill after its preview": openBackfill },
  ],
  ["/runs?job=markup&state=FAILED", { "a retry": openRetry }],
  ["/nodes", { "a drain": IN_ROW, "a maintenance": press("main .facts.gap button") }],
  ["/nodes?tab=failovers", { "a failover": press("tbody a.name") }],
  ["/nodes?tab=policy", { "the form of a policy": IN_ROW }],
  ["/alerts", { "an alert": press(".alertline a.name") }],
  ["/alerts?tab=channels", { "the form of a channel": NEW, "the test of a channel": IN_ROW }],
  ["/alerts?tab=rules", { "the form of a rule": NEW, "a rule that is tried": IN_ROW }],
  ["/alerts?tab=silences", { "the form of a silence": NEW }],
  ["/checks", { "the form of a check": NEW, "a check": press("tbody a.name") }],
  ["/limits", { "the form of a limit": NEW, "a limit": press("tbody a.name") }],
  ["/calendars", { "the form of a calendar": NEW }],
  ["/locks", { "a lock": press("tbody a.name"), "a lock that is taken away": IN_ROW }],
  ["/reports?tab=schedules", { "the form of a report": NEW }],
  ["/tokens", { "a new token": NEW }],
  [
    "/settings",
    {
      "the account": (page) => page.locator(".head [aria-haspopup=menu]").last().click(),
      "a session that ended": endSession,
    },
  ],
];

test("what floats over a page has no violation of accessibility, fits 360 pixels, and says all in Chinese", async () => {
  const page = await pageOf();
  const calls = new Calls();
  calls.watch(page);
  const wrong: [name: string, what: string[]][] = [];
  for (const [path, floats] of SCENES) {
    await page.goto(server.url + path);
    await page.locator('.chip[data-is="live"]').waitFor();
    for (const [name, open] of Object.entries(floats)) {
      await open(page);
      const what = await wrongWithFloat(page, calls);
      if (what.length > 0) wrong.push([name, what]);
      if (open === endSession) continue; // it stays until somebody logs in
      await page.keyboard.press("Escape");
      await page.locator(FLOAT).first().waitFor({ state: "detached" });
    }
  }
  assert.deepEqual(wrong, []);
  await page.context().close();
});

async function openBulk(page: Page): Promise<void> {
  await page.locator(".title .acts [aria-haspopup=menu]").click();
  await page.getByRole("menuitem").last().click();
  await page.locator("[role=dialog] .listed li").first().waitFor();
}

async function openBackfill(page: Page): Promise<void> {
  await page.locator(".title .acts [aria-haspopup=menu]").click();
  await page.getByRole("menuitem", { name: /^(Backfill|补数)/ }).click();
  await page.locator("[role=dialog] form select").selectOption("all"); // another walk may have made up for what was missing
  await page.locator("[role=dialog] form button[type=submit]").click();
  await page.locator("[role=dialog] form .why").waitFor();
}

async function openRetry(page: Page): Promise<void> {
  await page.locator("tbody a.mono").first().click();
  await page.getByRole("button", { name: /^(Retry|重试)$/ }).click();
}

/** The next answer tells the page. */
async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.locator(".rail").locator('a[href="/runs"]').click();
}

for (const look of [{}, { theme: "dark", language: "zh-CN" }] as const) {
  test(`the way in has no violation of accessibility and fits 360 pixels: ${"language" in look ? look.language : "en"}`, async () => {
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
      assert.deepEqual(await wholeEnglishIn(page), [], address);
      assert.ok((await widthAt(page, 360)) <= 360, address);
    }
    await context.close();
  });
}
