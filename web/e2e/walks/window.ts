/// The one browser of some walks, and its windows: logged in from the start, each watched for complaints.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { asked, Complaints, type Look, launched, loggedIn, opened } from "../browser.ts";

export const server = asked();
export const complaints = new Complaints();
let state: Look["state"];
export let browser: Browser;

before(async () => {
  browser = await launched();
  state = await loggedIn(browser, server.url);
});
after(async () => {
  await browser.close();
});

export async function pageOf(look: Look = {}): Promise<Page> {
  const context = await opened(browser, { ...look, ...(state && { state }) });
  const page = await context.newPage();
  complaints.watch(page, server.url);
  return page;
}

/** One request with the token of the server. */
export async function ask(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const sent: Record<string, string> = {
    Authorization: `Bearer ${process.env.FOLIOT_TOKEN ?? ""}`,
    ...headers,
  };
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: sent,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  const text = await answer.text(); // a deletion answers nothing
  return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
}

/** Takes away a job that a walk made: those behind it see none of it. */
export async function drop(job: string, namespace = "default"): Promise<void> {
  const path = `/jobs/${job}?namespace=${namespace}`;
  const { version } = await ask("GET", path);
  await ask("DELETE", path, undefined, { "If-Match": `"v${version}"` });
}

const COUNTED_MS = 15_000;
const TRIES = 8; // a run is counted within a minute after its end, and a report is read once a minute

/** Waits for what is shown once runs were counted; the page is read anew meanwhile. */
export async function counted(page: Page, wanted: Locator): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await wanted.waitFor({ timeout: COUNTED_MS });
      return;
    } catch (error) {
      if (left === 1) throw error;
      await page.reload();
    }
  }
}

/** The day in the zone of the browser's windows, which is eight hours ahead. */
export function today(): string {
  return new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
}

/** The last walk of a file: what the pages said meanwhile. */
export function lookForComplaints(): void {
  test("no page complained: no error, nothing that the content policy refused, no other host", () => {
    assert.deepEqual(complaints.found, []);
  });
}
