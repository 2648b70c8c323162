/// Pictures of each page in both themes, into docs/images/. `make screenshots` starts a server and runs this.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { asked, type Look, launched, loggedIn, opened } from "./browser.ts";

const OUT = process.env.FOLIOT_PICTURES ?? join(import.meta.dirname, "../../docs/images");

const server = asked();
const empty = process.env.FOLIOT_EMPTY ?? "";
const browser = await launched();
const state = await loggedIn(browser, server.url);
const emptyState = await loggedIn(browser, empty, process.env.FOLIOT_EMPTY_TOKEN);
const first = await opened(browser, { state });
const page = await first.newPage();

/** In the zone of the windows, which is eight hours ahead. */
const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

/** The newest run of a job in a state, or one before it. */
async function newest(job: string, of: string, before = 0): Promise<string> {
  await page.goto(`${server.url}/runs?job=${job}&state=${of}`);
  const link = page.locator("tbody a.mono").nth(before);
  await link.waitFor({ timeout: 180_000 });
  return (await link.getAttribute("href")) ?? "";
}

async function pair(): Promise<string> {
  const one = await newest("settle_eu", "SUCCEEDED", 3);
  const other = await newest("settle_eu", "SUCCEEDED");
  return `/runs/compare?one=${one.slice("/runs/".length)}&other=${other.slice("/runs/".length)}`;
}

/** What is done on a page before its picture is taken. */
const ACTS: Record<string, (shown: Page) => Promise<void>> = {
  trigger: async (shown) => {
    await shown.getByRole("button", { name: "Trigger greet", exact: true }).click();
    await shown.getByRole("dialog").getByLabel("name").fill("Foliot");
  },
  newjob: async (shown) => {
    await shown.getByRole("textbox", { name: "Job" }).fill("weekly_digest");
  },
  versions: async (shown) => {
    await shown.getByRole("button", { name: "Compare with version 2" }).click();
    await shown.locator("table").first().waitFor();
  },
  search: async (shown) => {
    await shown.keyboard.press("Control+k");
    await shown.getByRole("dialog").getByRole("combobox").fill("settle");
    await shown.getByRole("dialog").getByRole("option").first().waitFor();
  },
};

/** Without a login, or on a cluster without a job. */
const ELSEWHERE: [name: string, url: string, look: Look, ready: string][] = [
  ["login", `${server.url}/login`, {}, "form"],
  ["first", `${empty}/`, { state: emptyState }, "#first"],
];

const PAGES: [name: string, path: string | (() => Promise<string>), ready: string][] = [
  ["overview", "/", ".crowd rect"],
  ["jobs", "/jobs", "table"],
  ["job", "/jobs/default/settle_eu", "table"],
  ["day", "/jobs/default/settle_eu?tab=day", "#past"],
  ["calendar", "/jobs/default/settle_eu?tab=calendar", ".year"],
  ["statistics", "/jobs/default/settle_eu?tab=stats&span=1h", ".stats .chart"],
  ["trigger", "/jobs?q=greet", "table"],
  ["versions", "/jobs/default/payouts?tab=versions", ".lines li"],
  ["definition", "/jobs/default/settle_eu?tab=definition", ".command pre"],
  ["jobalerts", "/jobs/default/refund_requests?tab=alerts", ".alertline"],
  ["newjob", "/jobs/new", "[role=status] table"],
  ["editor", "/jobs/default/nightly_report/edit", "[role=status] table"],
  ["runs", "/runs", "table"],
  ["run", () => newest("settle_accounts", "RUNNING"), ".log .line"],
  ["shards", async () => `${await newest("settle_accounts", "RUNNING")}?tab=shards`, ".gantt li"],
  ["data", async () => `${await newest("settle_eu", "SUCCEEDED")}?tab=data`, ".command pre"],
  ["attempts", async () => `${await newest("send_invoices", "SUCCEEDED")}?tab=attempts`, ".lines li"],
  ["timeline", async () => `${await newest("send_invoices", "SUCCEEDED")}?tab=timeline`, ".lines li"],
  ["compare", pair, ".pairlog td"],
  ["nodes", "/nodes", "#servers"],
  ["health", "/nodes?tab=health", ".checks li"],
  ["failovers", "/nodes?tab=failovers", "tbody tr"],
  ["policy", "/nodes?tab=policy", "tbody tr"],
  ["drills", "/nodes?tab=drills", "tbody tr, .lines li"],
  ["alerts", "/alerts", ".alertline"],
  ["alert", "/alerts?id=1", "[role=dialog] #life"],
  ["rules", "/alerts?tab=rules", "tbody tr"],
  ["channels", "/alerts?tab=channels", "tbody tr"],
  ["silences", "/alerts?tab=silences", "tbody tr"],
  ["checks", "/checks", "tbody tr"],
  ["check", "/checks?name=warehouse-dump", "[role=dialog] #pings ~ div li"],
  ["report", `/reports?date=${today}`, "#failing"],
  ["reports", "/reports?tab=schedules", "tbody tr"],
  ["backfills", "/backfills", ".lines li"],
  ["calendars", "/calendars?name=cn-workdays", "#calendar"],
  ["limits", "/limits?name=books-db", "#users"],
  ["locks", "/locks", "tbody tr"],
  ["events", "/events", ".lines li"],
  ["skips", "/events?tab=skips", ".lines li"],
  ["tokens", "/tokens", "tbody tr"],
  ["settings", "/settings", "#about"],
  ["search", "/", "#next"],
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
    await ACTS[name]?.(shown);
    await settled(shown);
    await shown.screenshot({ path: join(OUT, `console-${name}${end}.png`) });
  }
  await context.close();
  for (const [name, address, own, ready] of ELSEWHERE) {
    if (only && !only.includes(name)) continue;
    const window = await opened(browser, { ...look, ...own });
    const one = await window.newPage();
    await one.goto(address);
    await one.locator(ready).first().waitFor();
    await settled(one);
    await one.screenshot({ path: join(OUT, `console-${name}${end}.png`) });
    await window.close();
  }
}
await browser.close();
