/// Pictures of each page in both themes, into docs/images/. `make screenshots` starts a server and runs this.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { asked, launched, logIn, opened } from "./browser.ts";

const OUT = process.env.FOLIOT_PICTURES ?? join(import.meta.dirname, "../../docs/images");

const server = asked();
const browser = await launched();
const first = await opened(browser);
const page = await first.newPage();
await logIn(page, server);
const state = await first.storageState();

await page.goto(`${server.url}/runs?job=settle_eu`);
await page.locator("table a.mono").first().waitFor();
const run = (await page.locator("table a.mono").first().getAttribute("href")) ?? "";

/** In the zone of the windows, which is eight hours ahead. */
const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

const PAGES: [name: string, path: string, ready: string][] = [
  ["overview", "/", ".crowd rect"],
  ["jobs", "/jobs", "table"],
  ["job", "/jobs/default/settle_eu", "table"],
  ["day", "/jobs/default/settle_eu?tab=day", "#past"],
  ["calendar", "/jobs/default/settle_eu?tab=calendar", ".year"],
  ["statistics", "/jobs/default/settle_eu?tab=stats&span=1h", ".stats .chart"],
  ["editor", "/jobs/default/nightly_report/edit", "[role=status] table"],
  ["runs", "/runs", "table"],
  ["run", run, ".log .line"],
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
for (const { end, look } of isShort ? wanted.slice(0, 2) : wanted) {
  const context = await opened(browser, { ...look, state });
  const shown = await context.newPage();
  for (const [name, path, ready] of PAGES) {
    await shown.goto(server.url + path);
    await shown.locator(ready).first().waitFor({ timeout: 90_000 }); // runs are counted some seconds after their end
    await shown.locator('.chip[data-is="live"]').waitFor();
    await settled(shown);
    await shown.screenshot({ path: join(OUT, `console-${name}${end}.png`) });
  }
  await context.close();
}
await browser.close();
