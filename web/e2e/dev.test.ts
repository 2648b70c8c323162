/// The console while somebody works on it: the sources with hot reload, in front of a running server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, launched, loggedIn, opened } from "./browser.ts";

test("the page comes from the sources, and the server behind it answers and tells of changes", async () => {
  const { url } = asked();
  const browser = await launched();
  const context = await opened(browser, { state: await loggedIn(browser, url) });
  const page = await context.newPage();
  await page.goto(`${url}/jobs`);
  const table = page.getByRole("table", { name: "List of jobs" });
  await table.getByRole("link", { name: "tick", exact: true }).waitFor();
  await page.locator('.chip[data-is="live"]').waitFor();
  for (const source of ["/@vite/client", "/src/main.tsx"]) {
    assert.equal(await page.locator(`script[src^="${source}"]`).count(), 1, source);
  }
  await browser.close();
});
