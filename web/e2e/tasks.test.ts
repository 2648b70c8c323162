/// What people come for, each with the number of presses it may take; the same by keys alone; every view is a link.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { asked, Complaints, countPresses, launched, loggedIn, opened, pressesOf } from "./browser.ts";

declare global {
  /** What had the focus last, and how it was framed. */
  var lastStop: { element: Element; frame: string } | undefined;
}

const { url } = asked();
const complaints = new Complaints();
let browser: Browser;
let page: Page;

before(async () => {
  browser = await launched();
  const context = await opened(browser, { state: await loggedIn(browser, url) });
  page = await context.newPage();
  complaints.watch(page, url);
  await countPresses(page);
});
after(async () => {
  await browser.close();
});

/** Opens an address anew: presses are counted from here. */
async function at(path: string): Promise<void> {
  await page.goto(url + path);
  await page.locator('.chip[data-is="live"]').waitFor();
}

async function took(presses: number): Promise<void> {
  assert.equal(await pressesOf(page), presses);
}

/** Runs are counted some seconds after their end. */
async function untilCounted(): Promise<void> {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const isCounted = async () => {
    const answer = await page.request.get(`${url}/api/v1/cluster/stats`, { params: { from } });
    assert.ok(answer.ok(), await answer.text());
    return ((await answer.json()) as { queue_delay_s: object | null }).queue_delay_s !== null;
  };
  while (!(await isCounted())) await new Promise((resolve) => setTimeout(resolve, 200));
}

const dialog = (): Locator => page.getByRole("dialog");
const need = (job: string): Locator => page.locator("#needs ~ ul li", { hasText: job });

describe("who leaves cron and XXL-JOB", () => {
  test("finds a job by its name, its owner or a Chinese word: one search, no press", async () => {
    await at("/jobs");
    for (const written of ["load_ord", "数据组", "仓库"]) {
      await page.keyboard.press("/");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(written);
      await page.waitForURL(`${url}/jobs?q=${encodeURIComponent(written)}`);
      await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
      await page.locator("tbody tr").getByRole("link", { name: "load_orders" }).waitFor();
      await page.keyboard.press("Escape");
    }
    await took(0);
  });

  test("pauses a job until 06:00 of the zone on the screen, with a reason: two presses", async () => {
    await at("/jobs");
    await page.getByLabel("Time zone").selectOption("UTC");
    await page.getByRole("button", { name: "Pause daily" }).click();
    await dialog().getByLabel("Until").fill("2031-01-02T06:00");
    await dialog().getByLabel("Reason").fill("month end");
    await dialog().getByRole("button", { name: "Pause" }).click();
    await page.locator("tr", { hasText: "daily" }).getByText("paused").waitFor();
    await took(2);
    await page.getByRole("link", { name: "daily" }).click();
    await page.locator(".why").getByText("2031-01-02 06:00").waitFor();
    await page.locator(".why").getByText("month end").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await dialog().getByRole("button", { name: "Resume" }).click();
    await page.locator(".title").getByText("active").waitFor();
  });

  test("pauses a group until a time, with a reason: two presses, after its jobs were listed", async () => {
    await at("/jobs?group=nights");
    await page.getByRole("button", { name: "All of these …" }).hover();
    await page.getByRole("menuitem", { name: "Pause all" }).click();
    await dialog().getByRole("list", { name: "List of jobs" }).getByText("nightly").first().waitFor();
    await dialog().getByLabel("Until").fill("2031-01-02T06:00");
    await dialog().getByLabel("Reason").fill("month end");
    await dialog()
      .getByRole("button", { name: /^Pause these 2 jobs/ })
      .click();
    await page.locator("tbody tr").nth(1).getByText("paused").waitFor();
    await took(2);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await page.locator("tbody tr").getByText("paused").first().waitFor({ state: "detached" });
  });

  test("clones a job: one press, then a name", async () => {
    await at("/jobs/default/load_orders");
    await page.getByRole("button", { name: "More" }).hover();
    await page.getByRole("menuitem", { name: "Clone" }).click();
    await page.getByRole("textbox", { name: "Job" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type(`load-${process.pid}`); // over the name that is offered
    await page.getByText("仓库").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`load-${process.pid}\\?tab=versions`));
    await took(1);
  });

  test("runs again what failed: two presses, for one job and for all in sight", async () => {
    await at("/");
    await need("markup").getByRole("button", { name: "Retry" }).click();
    await dialog().getByRole("button", { name: "Retry" }).click();
    await page.locator(".toast", { hasText: "runs again" }).waitFor();
    await took(2);
    await at("/runs?state=FAILED");
    await page.getByRole("button", { name: /^Retry these \d+$/ }).click();
    await dialog()
      .getByRole("button", { name: /^Retry these/ })
      .click();
    await page
      .locator(".toast")
      .getByText(/runs?\.$/)
      .waitFor();
    await took(2);
  });
});

describe("a data engineer", () => {
  test("fills thirty days: a look at them, one confirmation", async () => {
    await at("/jobs/default/daily");
    await page.getByRole("button", { name: "More" }).hover();
    await page.getByRole("menuitem", { name: "Backfill" }).click();
    await dialog().getByLabel("From").fill("2026-09-01");
    await dialog().getByLabel("To").fill("2026-10-01");
    await dialog().getByLabel("At a time").fill("10");
    await dialog().getByRole("button", { name: "Preview" }).click();
    await dialog().getByText("30 instants get a run:").waitFor();
    await took(2);
    await dialog().getByRole("button", { name: "Start 30 runs" }).click();
    await page.locator(".toast").getByText("30 instants of the past").waitFor();
    await took(3);
  });

  test("sees which of the shards failed, and runs them alone again", async () => {
    await at("/runs?job=load_orders&state=FAILED");
    await at((await page.locator("tbody a.mono").last().getAttribute("href")) ?? "");
    await page.locator(".facts").getByText("Slowest:").waitFor();
    await took(0);
    await page.getByRole("tab", { name: "Shards" }).click();
    const shards = page.getByRole("tabpanel").locator("li");
    await shards.filter({ hasText: "failed" }).waitFor();
    assert.equal(await shards.filter({ hasText: "succeeded" }).count(), 2);
    const before = await pressesOf(page);
    await page.getByRole("button", { name: "Retry failed shards" }).click();
    await page.locator(".toast", { hasText: "runs again" }).waitFor();
    await took(before + 1);
    await page.locator(".toast", { hasText: "runs again" }).getByRole("link").click();
    await page.locator(".title .state", { hasText: "failed" }).waitFor();
    await page.getByRole("tab", { name: "Shards" }).click();
    await shards.filter({ hasText: "failed" }).waitFor();
    assert.equal(await shards.filter({ hasText: "succeeded" }).count(), 2, "what succeeded is kept");
  });
});

describe("who is on call", () => {
  test("reads the failing line of the log: one press", async () => {
    await at("/");
    await need("markup").getByRole("link", { name: "Log" }).click();
    await page.getByRole("log").getByText("onerror").first().waitFor();
    await took(1);
  });

  test("reads the log of a run that executes: one press from the overview, two from anywhere", async () => {
    await at("/");
    await page.locator("#needs ~ ul .alertline").first().waitFor(); // what comes in above it moves the list
    const running = page.locator("#running ~ ul li", { hasText: "holder" });
    await running.first().locator("a.mono").click();
    await page.getByRole("log").waitFor();
    await took(1);
    await page.locator(".rail").getByRole("link", { name: "Jobs", exact: true }).click();
    await page
      .getByRole("row", { name: /holder/ })
      .locator("a.mono")
      .click();
    await page.getByRole("log").waitFor();
    await took(3);
  });

  test("sees leader, term and what waits without a press", async () => {
    await untilCounted(); // the page looks at figures no more than twice a minute
    await at("/");
    const cluster = page.getByRole("region", { name: "Cluster" });
    const { term } = (await (await page.request.get(`${url}/api/v1/cluster`)).json()) as { term: number };
    for (const word of ["leader", `term ${term}`, "waiting runs"])
      await cluster.getByText(word).first().waitFor();
    await page.getByText("queue delay p99").waitFor();
    await took(0);
  });

  test("sees what changed in the last hour: one press and one filter", async () => {
    await at("/");
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByLabel("Range").selectOption({ label: "Last hour" });
    await page.waitForURL(/span=1h/);
    await page.locator(".lines li").first().waitFor();
    await took(1);
  });

  test("takes a worker out of service with a reason and back: two presses each", async () => {
    await at("/nodes");
    const workers = page.getByRole("table", { name: "Workers" });
    await workers.getByRole("button", { name: "Drain" }).click();
    await dialog().getByLabel("Reason").fill("kernel update");
    await dialog().getByRole("button", { name: "Drain" }).click();
    await page.getByRole("button", { name: "Take back" }).click();
    await took(3);
    await dialog().getByRole("button", { name: "Take back" }).click();
    await workers.getByRole("button", { name: "Drain" }).waitFor();
    await took(4);
  });
});

test("who guards the rules makes a token that only reads: one form of two presses", async () => {
  await at("/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await dialog().getByRole("textbox", { name: "Name", exact: true }).fill(`auditor-${process.pid}`);
  await dialog().getByRole("button", { name: "Make the token" }).click();
  const secret = (await dialog().locator(".command pre").textContent()) ?? "";
  await took(2);
  const ask = (method: string, path: string) =>
    fetch(url + path, { method, headers: { Authorization: `Bearer ${secret}` } });
  assert.equal((await ask("GET", "/api/v1/jobs")).status, 200);
  assert.equal((await ask("POST", "/api/v1/jobs/daily:trigger")).status, 403);
});

test("keys alone find a job, trigger it, read its log, pause it and resume it", async () => {
  const { keyboard } = page;
  await at("/");
  await keyboard.press("Tab");
  await page.locator(".skip:focus").waitFor();
  await keyboard.press("Enter");
  await page.locator("main:focus").waitFor();
  await keyboard.press("g");
  await keyboard.press("j");
  await page.locator("tbody tr").nth(1).waitFor();
  await keyboard.press("/");
  await keyboard.type("has a past");
  await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  await keyboard.press("Escape");
  await keyboard.press("j");
  for (const [word, then] of [
    ["Pause", "paused"],
    ["Resume", ""],
  ] as const) {
    await page.locator("tbody a:focus", { hasText: "daily" }).waitFor(); // a dialog gives the focus back
    await keyboard.press("p");
    await dialog().getByRole("button", { name: word }).waitFor();
    await dialog().getByLabel("Reason").and(page.locator(":focus")).waitFor();
    await keyboard.type("by keys");
    await keyboard.press("Enter");
    await dialog().waitFor({ state: "detached" });
    if (then) await page.locator("tbody tr").getByText(then).waitFor();
    else await page.locator("tbody tr").getByText("paused").waitFor({ state: "detached" });
  }
  await page.locator("tbody a:focus", { hasText: "daily" }).waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(/jobs\/default\/daily/);
  await page.locator('.title [data-key="t"]').waitFor(); // the list has a title, too, until the page of the job is there
  await keyboard.press("t");
  await dialog().getByRole("button", { name: "Trigger", exact: true }).waitFor();
  while (
    !(await dialog()
      .getByRole("button", { name: "Trigger", exact: true })
      .and(page.locator(":focus"))
      .count())
  ) {
    await keyboard.press("Tab");
  }
  await keyboard.press("Enter");
  await page.waitForURL(/\/runs\/r-/);
  await page.getByRole("log").waitFor();
  await page.goBack();
  await page.locator("tbody tr").first().waitFor();
  await keyboard.press("j");
  await keyboard.press("l");
  await page.getByRole("log").waitFor();
  await took(0);
});

test("keys alone go up and down a list and from page to page, and copy a link", async () => {
  const { keyboard } = page;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await at("/jobs");
  await page.locator("tbody tr").nth(1).waitFor();
  const visited: number[] = [];
  for (const key of ["j", "j", "k"]) {
    await keyboard.press(key);
    visited.push(await page.evaluate(() => document.activeElement?.closest("tr")?.rowIndex ?? -1));
  }
  assert.deepEqual(visited, [1, 2, 1]);
  for (const [key, path] of [
    ["n", "/nodes"],
    ["o", "/"],
    ["r", "/runs"],
  ] as const) {
    await keyboard.press("g");
    await keyboard.press(key);
    await page.waitForURL(url + path);
  }
  await page.locator("tbody tr").first().waitFor();
  await page.getByLabel("State", { exact: true }).selectOption({ label: "failed" });
  await page.waitForURL(`${url}/runs?state=FAILED`);
  await page.locator("main").focus();
  await keyboard.press("y");
  await page.locator(".toast").getByText("The link is copied.").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${url}/runs?state=FAILED`);
  await took(0);
});

test("a run is found by its id", async () => {
  await at("/runs?job=load_orders");
  const id = (await page.locator("tbody a.mono").last().textContent()) ?? "";
  await at("/");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type(id);
  await dialog()
    .getByRole("option", { name: new RegExp(`^run\\s*${id}`) })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/runs/${id}`);
  await took(0);
});

describe("what has the focus is seen to have it, on each stop", () => {
  const STOPS = 30;
  const places: [name: string, open: () => Promise<void>][] = [
    ["a list", () => at("/jobs")],
    ["a run", openRun],
    ["the editor", () => at("/jobs/default/daily/edit")],
    ["a dialog", openDialog],
  ];

  for (const [name, open] of places) {
    test(name, async () => {
      await open();
      await page.locator("main tbody tr, main form, [role=log] .line").first().waitFor();
      const names = new Set<string>();
      for (let stop = 0; stop < STOPS; stop++) {
        await page.keyboard.press("Tab");
        const { before, isSeen, here } = await nextStop();
        assert.ok(isSeen, `${name}: ${before}`);
        names.add(here);
      }
      assert.ok(names.size >= (name === "a dialog" ? 5 : 20), `the focus goes on: ${names.size} stops`);
    });
  }

  async function openRun(): Promise<void> {
    await at("/runs?job=markup&state=FAILED");
    await at((await page.locator("tbody a.mono").last().getAttribute("href")) ?? "");
  }

  async function openDialog(): Promise<void> {
    await at("/jobs/default/slow");
    await page.locator('.title [data-key="t"]').click();
    await dialog().getByLabel("name").waitFor();
  }

  /** Where the focus is, and whether where it was looks otherwise now that it is gone. */
  async function nextStop(): Promise<{ before: string; isSeen: boolean; here: string }> {
    return await page.evaluate(() => {
      const frameOf = (element: Element): string => {
        const style = getComputedStyle(element);
        const hasOutline = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
        const outline = hasOutline ? style.outlineWidth + style.outlineColor : "";
        const border = style.borderTopWidth === "0px" ? "" : style.borderTopWidth + style.borderTopColor;
        return [outline, border, style.boxShadow, style.opacity].join(" ");
      };
      // A frame that fades in is there at its end.
      for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish();
      const here = document.activeElement ?? document.body;
      const left = globalThis.lastStop;
      // Behind the last stop the focus leaves the page, and what changed meanwhile is not there any more.
      const isNone = left === undefined || left.element === document.body || !left.element.isConnected;
      globalThis.lastStop = { element: here, frame: frameOf(here) };
      return {
        before: left?.element.outerHTML.slice(0, 160) ?? "",
        isSeen: isNone || frameOf(left.element) !== left.frame,
        here: here.outerHTML.slice(0, 160),
      };
    });
  }
});

test("no page complained", () => {
  assert.deepEqual(complaints.found, []);
});
