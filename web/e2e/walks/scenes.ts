/// What is pressed now and then: the look of the console, logging out, a draft that is thrown away, a view for everybody,
/// a backfill that is held, goes on and ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loggedIn } from "../browser.ts";
import { ask, browser, pageOf, server } from "./window.ts";

test("the look is chosen: theme and rows; who logs out is asked who they are", async () => {
  const page = await pageOf();
  const token = (await ask("POST", "/tokens", { name: `leaving-${process.pid}`, scopes: ["read"] }))
    .token as string;
  await page.context().clearCookies(); // it ends here, and with it the session of its own
  await page.context().addCookies((await loggedIn(browser, server.url, token)).cookies);
  await page.goto(`${server.url}/settings`);
  await page.getByRole("button", { name: "Theme of the system" }).click();
  await page.getByRole("button", { name: "Light theme" }).click();
  await page.getByRole("button", { name: "Dark theme" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("data-mantine-color-scheme"), "dark");
  await page.getByLabel("Rows", { exact: true }).selectOption("Comfortable");
  await page.locator('[data-density="comfortable"]').first().waitFor({ state: "attached" });
  await page.evaluate(() => {
    sessionStorage.setItem("foliot.draft.confirm Pause daily?", '{"reason":"of somebody"}');
  });
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.getByLabel("Token or code").waitFor();
  await page.waitForFunction(
    () => !Object.keys(sessionStorage).some((key) => key.startsWith("foliot.draft.")),
  );
  await page.goto(`${server.url}/jobs`);
  await page.getByLabel("Token or code").waitFor();
  await page.context().close();
});

test("a draft is discarded, and a view is saved for everybody", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/daily/edit`);
  const owner = page.getByLabel("Owner", { exact: true });
  await owner.fill("nobody");
  await page.getByRole("button", { name: "Discard my changes" }).click();
  await page.getByRole("button", { name: "Discard my changes" }).waitFor({ state: "detached" });
  assert.equal(await owner.inputValue(), "");
  await page.goto(`${server.url}/jobs?late=true`);
  const views = page.getByRole("button", { name: "Saved views" });
  const name = `late-${process.pid}`;
  await views.click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Everybody sees it").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText(`The view ${name} is saved.`).waitFor();
  await views.click();
  await page.getByRole("menuitem", { name: `${name} shared` }).waitFor();
  await page.getByRole("menuitem", { name: `Forget ${name}` }).click();
  await dialog.getByRole("button", { name: "Forget" }).click();
  await page.locator(".toast").getByText(`The view ${name} is gone.`).waitFor();
  await page.context().close();
});

test("a backfill that is under way is held, goes on, and ends", async () => {
  const page = await pageOf();
  const job = `refilled-${process.pid}`;
  const definition = { run: { python: "far:refilled" }, schedule: { every: "1m" } };
  await ask("POST", "/jobs", { name: job, definition });
  const past = { job, from: "2026-08-01T00:00:00Z", to: "2026-08-01T12:00:00Z" };
  const { token } = await ask("POST", "/backfills:preview", past);
  await ask("POST", "/backfills", { ...past, token });
  await page.goto(`${server.url}/backfills`);
  const row = page
    .getByRole("list", { name: /backfills/i })
    .getByRole("listitem")
    .filter({ hasText: job });
  const dialog = page.getByRole("dialog");
  for (const verb of ["Pause", "Resume", "End"]) {
    await row.getByRole("button", { name: verb }).click();
    await dialog.getByRole("button", { name: verb }).click();
    await dialog.waitFor({ state: "detached" });
  }
  await row.getByRole("button", { name: "End" }).waitFor({ state: "detached" });
  await page.context().close();
});
