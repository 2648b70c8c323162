/// How quick the console is: what two browsers see of each other, and what one answers, in real Chromium.
/// `python -m bench console` fills a store, starts two servers and runs this; it prints one JSON document.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { Calls, launched, loggedIn, opened } from "./browser.ts";
import { notePresses, pressed, seesEachOther, shownAt } from "./pressed.ts";

const servers = (process.env.FOLIOT_SERVERS ?? "").split(",");
const rounds = Number(process.env.FOLIOT_ROUNDS ?? "20");
const sharded = process.env.FOLIOT_SHARDED ?? "";
const longLog = process.env.FOLIOT_LONG_LOG ?? "";
const token = process.env.FOLIOT_TOKEN ?? "";
const LONG_MS = 60_000;
const REST_MS = 400; // between two changes: nobody presses quicker
const JOB = "job-1";
/** A job whose name no other name begins with, and that shares all but its last letter with others. */
const MIDDLE = Number(process.env.FOLIOT_JOBS ?? "10000") - 3;

declare global {
  var longest: number;
}

async function windowOn(browser: Browser, url: string): Promise<Page> {
  const context: BrowserContext = await opened(browser, { state: await loggedIn(browser, url) });
  context.setDefaultTimeout(LONG_MS);
  const page = await context.newPage();
  await notePresses(page);
  return page;
}

async function at(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.chip[data-is="live"]').waitFor();
}

// ------------------------------------------------------------------------------------------------------- no browser

/** What two browsers see of each other, without them: a request, and the event of it on the stream of another server. */
async function bareStream(from: string, to: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const stream = await fetch(`${to}/api/v1/events`, { headers });
  const reader = (stream.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  await reader.read();
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const verb = round % 2 === 0 ? "pause" : "resume";
    const began = performance.now();
    const body = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: "{}" };
    const answer = fetch(`${from}/api/v1/jobs/${JOB}:${verb}`, body);
    let text = "";
    while (!text.includes(`event: job.${verb}d`)) text += (await reader.read()).value ?? "";
    took.push(performance.now() - began);
    if (!(await answer).ok) throw new Error(await (await answer).text());
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  await reader.cancel();
  return took;
}

// ------------------------------------------------------------------------------------------------------- one browser

interface Act {
  name: string;
  /** What the act asks the server for, as a program would ask. */
  asks: string;
  act: (page: Page, round: number) => Promise<{ place: string; text: string }>;
  undo: (page: Page) => Promise<void>;
}

const ACTS: Act[] = [
  {
    name: "filter",
    asks: `/api/v1/jobs?q=job-${MIDDLE}&strip=20&limit=100`,
    act: async (page) => {
      await page.locator("[data-filter]").fill(`job-${MIDDLE}`.slice(0, -1));
      await shownAt(page, "tbody tr:nth-child(2) .first", `job-${MIDDLE}`.slice(0, -1));
      await page.locator("[data-filter]").press(`${MIDDLE}`.slice(-1));
      return { place: "tbody tr:first-child:last-child .first", text: `job-${MIDDLE}` };
    },
    undo: async (page) => {
      await page.locator("[data-filter]").fill("");
      await shownAt(page, "tbody tr:first-child .first", "job-0");
    },
  },
  {
    name: "state",
    asks: "/api/v1/jobs?state=paused&strip=20&limit=100",
    act: async (page) => {
      await page.getByLabel("State", { exact: true }).selectOption("done");
      return { place: ".empty", text: "No jobs match" };
    },
    undo: async (page) => {
      await page.getByLabel("State", { exact: true }).selectOption("");
      await shownAt(page, "tbody tr:first-child .first", "job-0");
    },
  },
  {
    name: "open a job",
    asks: `/api/v1/jobs/${JOB}?strip=60`,
    act: async (page) => {
      await page.getByRole("link", { name: "job-10", exact: true }).click();
      return { place: "h1", text: "job-10" };
    },
    undo: async (page) => {
      await page.goBack();
      await shownAt(page, "tbody tr:first-child .first", "job-0");
    },
  },
  {
    name: "go back to all jobs",
    asks: "/api/v1/jobs?strip=20&limit=100",
    act: async (page) => {
      await page.getByRole("link", { name: "job-10", exact: true }).click();
      await shownAt(page, "h1", "job-10");
      await page.evaluate(() => {
        globalThis.pressedAt = performance.timeOrigin + performance.now();
        history.back();
      });
      return { place: "tbody tr:first-child .first", text: "job-0" };
    },
    undo: async () => undefined,
  },
];

interface Answered {
  name: string;
  shown_ms: number[];
  bare_ms: number[];
}

async function answers(page: Page, url: string): Promise<Answered[]> {
  const found: Answered[] = [];
  await at(page, `${url}/jobs`);
  await shownAt(page, "tbody tr:first-child .first", "job-0");
  for (const { name, asks, act, undo } of ACTS) {
    const shown: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { place, text } = await act(page, round);
      const at = await shownAt(page, place, text);
      shown.push(at - (await pressed(page)));
      await undo(page);
    }
    found.push({ name, shown_ms: shown, bare_ms: await bare(`${url}${asks}`) });
  }
  return found;
}

async function bare(address: string): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    took.push(performance.now() - began);
  }
  return took;
}

/** The longest time between two frames while a long list is scrolled from its head to its end. */
async function scrolled(page: Page): Promise<number> {
  await page.evaluate(() => {
    globalThis.longest = 0;
    let before = performance.now();
    const tick = () => {
      const now = performance.now();
      globalThis.longest = Math.max(globalThis.longest, now - before);
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.mouse.move(700, 500);
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, 600);
  return await page.evaluate(() => globalThis.longest);
}

// ------------------------------------------------------------------------------------------------------- every page

const PAGES: [name: string, path: string, ready: string][] = [
  ["overview", "/", "#needs"],
  ["jobs", "/jobs", "tbody tr"],
  ["job", `/jobs/default/${JOB}`, "tbody tr"],
  ["calendar of a job", `/jobs/default/${JOB}?tab=calendar`, ".year"],
  ["runs", "/runs", "tbody tr"],
  ["failed runs", "/runs?state=FAILED", "tbody tr"],
  ["run with shards", `/runs/${sharded}?tab=shards`, ".gantt li"],
  ["long log", `/runs/${longLog}`, ".log .line"],
  ["nodes", "/nodes", "#servers"],
  ["health", "/nodes?tab=health", "main h2"],
  ["events", "/events", ".title"],
  ["checks", "/checks", ".empty"],
  ["report", "/reports", "#short"],
];

async function opens(page: Page, url: string) {
  const found = [];
  for (const [name, path, ready] of PAGES) {
    const calls = new Calls();
    calls.watch(page);
    const began = performance.now();
    await page.goto(url + path);
    await page.locator(ready).first().waitFor();
    const took = performance.now() - began;
    await page.waitForTimeout(500);
    const slowest = await page.evaluate(() => {
      const read = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const calls = read.filter((one) => one.name.includes("/api/") && one.responseEnd > 0);
      return Math.round(Math.max(0, ...calls.map((one) => one.responseEnd - one.startTime)));
    });
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    page.removeAllListeners("request");
    found.push({
      page: name,
      shown_ms: Math.round(took),
      slowest_call_ms: slowest,
      elements,
      calls: calls.ofThePage(),
    });
  }
  return found;
}

const browser = await launched();
const [first = "", second = ""] = servers;
const one = await windowOn(browser, first);
const other = await windowOn(browser, second || first);
const pages = await opens(one, first);
await at(one, `${first}/jobs/default/${JOB}`);
await at(other, `${second || first}/jobs/default/${JOB}`);
const sees = await seesEachOther(one, other, rounds, REST_MS);
const stream = await bareStream(first, second || first);
await other.context().close();
const acts = await answers(one, first);
await at(one, `${first}/jobs`);
const scroll = await scrolled(one);
await browser.close();
console.log(JSON.stringify({ sees_ms: sees, bare_stream_ms: stream, acts, longest_frame_ms: scroll, pages }));
