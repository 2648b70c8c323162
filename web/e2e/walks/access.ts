/// Tokens and sessions that end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./looking.ts";
import { pageOf, server } from "./window.ts";

test("a token is shown once, and works until it is revoked", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/tokens`);
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("dashboard");
  await dialog.getByText("The same as a command").click();
  await dialog.getByText("foliot token create dashboard --scope read --expires 90d").waitFor();
  await dialog.getByRole("button", { name: "Make the token" }).click();
  await dialog.getByRole("button", { name: "I have kept it" }).waitFor();
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

test("a token gets a new secret, and the old one has its grace", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/tokens`);
  const name = `rotated-${process.pid}`;
  const dialog = page.getByRole("dialog");
  const secretOf = async () => (await dialog.locator(".command pre").first().textContent()) ?? "";
  const ask = (secret: string) =>
    fetch(`${server.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${secret}` } });
  await page.getByRole("button", { name: "New token" }).click();
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await dialog.getByLabel(/^Group/).fill("nights");
  await dialog.getByRole("button", { name: "Make the token" }).click();
  await dialog.getByText(`This is the secret of ${name}.`).waitFor();
  const old = await secretOf();
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  const row = page.locator("tbody tr", { hasText: name });
  await row.getByText("nights").waitFor();
  await row.getByRole("button", { name: `Rotate ${name}` }).click();
  await dialog.getByLabel(/^Grace for the old secret/).fill("1h");
  await dialog.locator("summary").click();
  assert.deepEqual(await violations(page), [], "the dialog of a rotation");
  await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
  await dialog.getByText(`This is the secret of ${name}.`).waitFor();
  const fresh = await secretOf();
  assert.notEqual(fresh, old);
  for (const secret of [old, fresh]) assert.equal((await ask(secret)).status, 200);
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  await row.getByText("until then beside its new secret").waitFor();
  assert.deepEqual(await violations(page), [], "tokens, one of them in its grace");
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

test("a dialog that stands within a page is there again after the session ended and began anew", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  await page
    .getByRole("button", { name: /maintenance/i })
    .first()
    .click();
  const dialog = page.getByRole("dialog").filter({ has: page.getByLabel("Reason") });
  await dialog.getByLabel("Reason").fill("kernel update");
  await page.context().clearCookies();
  await dialog
    .getByLabel("Reason")
    .press("Enter", { timeout: 2000 })
    .catch(() => undefined);
  await page.getByText("Your session has ended.").waitFor();
  await page.getByLabel("Token or code").fill(process.env.FOLIOT_TOKEN ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Your session has ended.").waitFor({ state: "detached" });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "kernel update");
  await page.context().close();
});

test("the form of a token keeps what was written when the page is loaded again, until it is closed", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/tokens`);
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name", exact: true });
  await page.getByRole("button", { name: "New token" }).click();
  await name.fill("half");
  await dialog.getByLabel("run", { exact: true }).check();
  await page.reload();
  await page.getByRole("button", { name: "New token" }).click();
  assert.equal(await name.inputValue(), "half");
  assert.equal(await dialog.getByLabel("run", { exact: true }).isChecked(), true);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "New token" }).click();
  assert.equal(await name.inputValue(), "", "who closed it said no");
  await page.context().close();
});
