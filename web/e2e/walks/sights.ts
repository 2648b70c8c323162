/// What pages say beside their lists, and where what they name leads to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./looking.ts";
import { pageOf, server } from "./window.ts";

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

test("the event of an alert says what that is about, and leads to it", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/events?topic=cluster`);
  const line = page.locator("li", { hasText: "an alert fires" }).filter({ hasText: "charge" }).first();
  await line.waitFor();
  assert.deepEqual(await violations(page), []);
  await line.getByRole("link").click();
  await page.waitForURL(/\/alerts\?id=\d+$/);
  await page.getByRole("dialog").waitFor();
  await page.context().close();
});
