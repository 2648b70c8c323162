/// Pictures of each page in both themes, into docs/images/. `make screenshots` starts a server and runs this.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { asked, launched, loggedIn, opened } from "./browser.ts";

const OUT = process.env.FOLIOT_PICTURES ?? join(import.meta.dirname, "../../docs/images");

const server = asked();
const browser = await launched();
const state = await loggedIn(browser, server.url);
const first = await opened(browser, { state });
const page = await first.newPage();

/** The newest run of a job that executes: each picture is of one that is live. */
async function running(job: string): Promise<string> {
  await page.goto(`${server.url}/runs?job=${job}&state=RUNNING`);
  const link = page.locator("tbody a.mono").first();
  await link.waitFor({ timeout: 180_000 });
  return (await link.getAttribute("href")) ?? "";
}

/** In the zone of the windows, which is eight hours ahead. */
const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

const PAGES: [name: string, path: string | (() => Promise<string>), ready: string][] = [
  ["overview", "/", ".crowd rect"],
  ["jobs", "/jobs", "table"],
  ["job", "/jobs/default/settle_eu", "table"],
  ["day", "/jobs/default/settle_eu?tab=day", "#past"],
  ["calendar", "/jobs/default/settle_eu?tab=calendar", ".year"],
  ["statistics", "/jobs/default/settle_eu?tab=stats&span=1h", ".stats .chart"],
  ["editor", "/jobs/default/nightly_report/edit", "[role=status] table"],
  ["runs", "/runs", "table"],
  ["run", () => running("settle_accounts"), ".log .line"],
  ["shards", async () => `${await running("settle_accounts")}?tab=shards`, ".gantt li"],
  ["nodes", "/nodes", "#servers"],
  ["alerts", "/alerts", ".alertline"],
  ["alert", "/alerts?id=1", "[role=dialog] #life"],
  ["rules", "/alerts?tab=rules", "tbody tr"],
  ["channels", "/alerts?tab=channels", "tbody tr"],
  ["checks", "/checks", "tbody tr"],
  ["check", "/checks?name=warehouse-dump", "[role=dialog] #pings ~ div li"],
  ["report", `/reports?date=${today}`, "#failing"],
  ["reports", "/reports?tab=schedules", "tbody tr"],
  ["backfills", "/backfills", ".lines li"],
  ["calendars", "/calendars?name=cn-workdays", "#calendar"],
  ["limits", "/limits?name=books-db", "#users"],
  ["locks", "/locks", "tbody tr"],
  ["events", "/events", ".lines li"],
  ["tokens", "/tokens", "tbody tr"],
  ["settings", "/settings", "#about"],
];

const QUIET_MS = 400;
const QUIET_WITHIN_MS = 10_000;

/** Wait until nothing is being read any more, and nothing has moved for a while: parts of a page come one by one. */
async function settled(shown: Page): Promise<void> {
  await shown.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
  await shown.evaluate(
    ([quiet, within]) =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, quiet);
        const moved = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, quiet);
        });
        moved.observe(document.body, { childList: true, subtree: true });
        setTimeout(resolve, within);
      }),
    [QUIET_MS, QUIET_WITHIN_MS],
  );
}

const wanted = [
  { end: "", look: {} },
  { end: "-dark", look: { theme: "dark" as const } },
  { end: "-zh", look: { language: "zh-CN" as const } },
  { end: "-phone", look: { width: 390, height: 844 } },
];
const isShort = process.env.FOLIOT_PICTURES_ALL === undefined;
const only = process.env.FOLIOT_PICTURES_ONLY?.split(",");
for (const { end, look } of isShort ? wanted.slice(0, 2) : wanted) {
  const context = await opened(browser, { ...look, state });
  const shown = await context.newPage();
  for (const [name, path, ready] of PAGES) {
    if (only && !only.includes(name)) continue;
    await shown.goto(server.url + (typeof path === "string" ? path : await path()));
    await shown.locator(ready).first().waitFor({ timeout: 90_000 }); // runs are counted some seconds after their end
    await shown.locator('.chip[data-is="live"]').waitFor();
    await settled(shown);
    await shown.screenshot({ path: join(OUT, `console-${name}${end}.png`) });
  }
  await context.close();
}
await browser.close();
