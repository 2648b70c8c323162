/// The one browser of all walks, and its windows: logged in since the first walk, each watched for complaints.
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { asked, Complaints, type Look, launched, opened } from "../browser.ts";

export const server = asked();
export const complaints = new Complaints();
export const login: Pick<Look, "state"> = {};
export let browser: Browser;

before(async () => {
  browser = await launched();
});
after(async () => {
  await browser.close();
});

export async function pageOf(look: Look = {}): Promise<Page> {
  const context = await opened(browser, { ...look, ...login });
  const page = await context.newPage();
  complaints.watch(page, server.url);
  return page;
}
