/// The log of a run: read to its end, filtered by the address, folded, alone in the window.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { violations, widthAt } from "./looking.ts";
import { ask, pageOf, server } from "./window.ts";

async function triggered(job: string): Promise<string> {
  return (await ask("POST", `/jobs/${job}:trigger`, {})).id as string;
}

function numberIn(text: string | null): number {
  return Number(/number=(\d+)/.exec(text ?? "")?.[1] ?? -1);
}

async function isHere(page: Page, text: string): Promise<boolean> {
  return (await page.getByRole("log").getByText(text).count()) > 0;
}

test("a log that is read to its end from a line on goes on by itself from there", async () => {
  const page = await pageOf();
  const run = await triggered("chatty");
  await page.goto(`${server.url}/runs/${run}`);
  const lines = page.locator(".log .line");
  await lines.filter({ hasText: "number=4500" }).waitFor();
  await page.goto(`${server.url}/runs/${run}?line=1:0`);
  const later = page.getByRole("button", { name: "Show later lines" });
  await later.click();
  await later.click();
  await later.waitFor({ state: "detached" });
  await page.getByLabel("Follow").check();
  const before = numberIn(await lines.last().textContent());
  assert.ok(before >= 4500, String(before));
  await lines.filter({ hasText: `number=${before + 3}` }).waitFor();
  await ask("POST", `/runs/${run}:cancel`, {});
  await page.context().close();
});

test("level, text and attempt of a log stand in the address, and what they leave out is not called nothing", async () => {
  const page = await pageOf();
  const run = await triggered("deep");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("log").getByText("going down").waitFor();
  await page.getByLabel("Level").selectOption("ERROR");
  await page.waitForURL(/level=ERROR/);
  await page.getByLabel("Lines with this text").fill("no ground");
  await page.waitForURL(/grep=no/);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("log").getByText("no ground").first().waitFor();
  assert.equal(await isHere(other, "going down"), false);
  await other.close();
  await page.getByLabel("Lines with this text").fill("no such word");
  await page.getByRole("log").getByText("No line matches.").waitFor();
  await page.context().close();
});

test("frames of a traceback are folded but the last, open by a press and by the address of a line in them", async () => {
  const page = await pageOf();
  const run = await triggered("deep");
  await page.goto(`${server.url}/runs/${run}`);
  const log = page.getByRole("log");
  const fold = log.getByRole("button", { name: "2 frames" });
  await fold.waitFor();
  await log.getByText("in two_down").waitFor();
  assert.equal(await isHere(page, "in one_down"), false);
  await fold.press("Enter");
  const inside = log.locator(".line", { hasText: "in one_down" });
  await inside.waitFor();
  assert.equal(await fold.getAttribute("aria-expanded"), "true");
  assert.deepEqual(await violations(page), [], "a log with a fold");
  await inside.locator("a").click();
  await page.waitForURL(/line=/);
  await page.reload();
  await log.locator('.line[aria-current="true"]', { hasText: "in one_down" }).waitFor();
  await page.context().close();
});

test("a log is walked by arrows, Enter opens a fold and aims at a line, and y copies the link of one; bars likewise", async () => {
  const page = await pageOf();
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const run = await triggered("deep");
  await page.goto(`${server.url}/runs/${run}`);
  const log = page.getByRole("log");
  await log.getByText("ValueError: no ground").last().waitFor();
  await page.keyboard.press("l");
  await page.keyboard.press("ArrowDown");
  const here = log.locator(":focus");
  const first = log.locator(".line", { has: page.locator(":focus") });
  await first.filter({ hasText: "going down" }).waitFor();
  assert.deepEqual(await log.locator('[tabindex="0"]').count(), 1, "Tab comes back to this line");
  assert.deepEqual(await violations(page), [], "a line with the focus");
  while ((await here.getAttribute("aria-expanded")) === null) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await log.getByText("in one_down").waitFor();
  await page.keyboard.press("End");
  await first.filter({ hasText: "ValueError: no ground" }).waitFor();
  await page.keyboard.press("y");
  await page.locator(".toast").getByText("The link is copied.").waitFor();
  const wanted = await here.evaluate((link) => (link as HTMLAnchorElement).href);
  await page.keyboard.press("Enter");
  await page.waitForURL(wanted);
  await log.locator('.line[aria-current="true"]', { hasText: "ValueError: no ground" }).waitFor();
  assert.equal(await here.count(), 1, "the focus stays at the line");
  await page.keyboard.press("Home");
  await first.filter({ hasText: "going down" }).waitFor();
  await page.getByLabel("Lines with this text").focus();
  await page.keyboard.press("ControlOrMeta+v");
  assert.equal(await page.getByLabel("Lines with this text").inputValue(), wanted);
  await page.goto(`${server.url}/jobs/default/tick`);
  const bars = page.locator(".strip.long a");
  await bars.nth(1).waitFor();
  await bars.last().focus();
  const before = await bars.nth(-2).getAttribute("href");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}${before}`);
  await page.context().close();
});

test("a log fills the window, where nothing else is reached, until Escape", async () => {
  const page = await pageOf();
  const run = await triggered("deep");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("log").getByText("going down").waitFor();
  await page.getByRole("button", { name: "Full screen" }).click();
  const box = await page.getByRole("log").boundingBox();
  assert.ok((box?.height ?? 0) > 780, `${box?.height} of 900`);
  assert.deepEqual(await violations(page), [], "a log alone");
  for (let stop = 0; stop < 12; stop++) {
    await page.keyboard.press("Tab");
    assert.equal(
      await page.evaluate(() => document.activeElement?.closest(".title, nav, header") ?? null),
      null,
    );
  }
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("log").press("Escape");
  await page.getByRole("button", { name: "Full screen" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).first().click();
  await page.locator("#needs, #first").first().waitFor();
  await page.context().close();
});
