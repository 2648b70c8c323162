/// Logging in: by a link, and by a token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { logIn, opened } from "../browser.ts";
import { browser, complaints, pageOf, server } from "./window.ts";

test("a link logs in, once, and its code is gone from the address", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  complaints.watch(page, server.url);
  await logIn(page, server);
  assert.equal(page.url(), `${server.url}/`);
  await page.locator('.chip[data-is="live"]').waitFor();
  const { cookies } = await context.storageState();
  const cookie = cookies.find((one) => one.name === "foliot_session");
  assert.equal(cookie?.httpOnly, true);
  await context.close();
});

test("who is not logged in is asked for a token, and told the command for a link", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  await page.goto(`${server.url}/jobs`);
  await page.getByText("foliot login-link").waitFor();
  await page.getByLabel("Token or code").fill("AAAA-BBBB-CCCC");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("FOL-4003").waitFor();
  await page.getByLabel("Token or code").fill(process.env.FOLIOT_TOKEN ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("table", { name: "List of jobs" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/jobs", "the page that was asked for");
  await context.close();
});

test("the way in that did not come is asked for again", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  await page.route(/\/assets\/Login-/, (route) => route.abort("connectionrefused"));
  await page.goto(`${server.url}/login`);
  await page.getByRole("alert").getByText("A part of this page did not come.").waitFor();
  await page.unroute(/\/assets\/Login-/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByLabel("Token or code").waitFor();
  await context.close();
});

test("words that did not come leave no empty page", async () => {
  const context = await opened(browser);
  const page = await context.newPage();
  await page.route(/\/assets\/en-/, (route) => route.abort("connectionrefused"));
  await page.goto(server.url);
  await page.getByText("Load the page anew.").waitFor();
  await context.close();
  const shown = await pageOf();
  await shown.goto(`${server.url}/settings`);
  await shown.route(/\/assets\/zh-/, (route) => route.abort("connectionrefused"));
  await shown.getByRole("button", { name: "中文" }).click();
  await shown.locator(".toast.bad").getByText("A part of this page did not come.").waitFor();
  await shown.unroute(/\/assets\/zh-/);
  await shown.getByRole("button", { name: "中文" }).click();
  await shown.getByRole("heading", { name: "设置" }).first().waitFor();
  await shown.context().close();
});
