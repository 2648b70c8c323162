/// What holds on every page: markup is text, accessibility, narrow windows, few calls, both languages.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { Calls, holdChanges, withoutJobs } from "../browser.ts";
import { wrongWithPage } from "./looking.ts";
import { ask, pageOf, server, today } from "./window.ts";

const CALLS_MAX = 4;
const FRAME_MAX = 3; // rights, overview and favourites; beside them stands the stream of changes
const COUNTED_MS = 5000;
const TRIES = 15; // a run is counted within a minute after its end, and a report is read once a minute
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

test("markup in names, descriptions, parameters, logs and errors is shown as text", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/markup`);
  await page.getByText(MARKUP).first().waitFor();
  await page.goto(`${server.url}/runs?job=markup`);
  // The oldest run has parameters of its own; other walks may have made newer ones without.
  await page.locator("tbody a.mono").first().waitFor();
  await page.locator("tbody a.mono").last().click();
  await page.getByRole("log").getByText(MARKUP).first().waitFor();
  await page.locator("pre.box").getByText(MARKUP).waitFor();
  await page.getByRole("tab", { name: "Parameters and result" }).click();
  await page.getByRole("region", { name: "Parameters" }).getByText("onerror").waitFor();
  await page.getByRole("tab", { name: "Attempts" }).click();
  await page.getByText(MARKUP).first().waitFor();
  await page.goto(server.url);
  await page.locator("#needs").waitFor();
  assert.equal(await page.evaluate("window.hacked"), undefined);
  await page.context().close();
});

describe("every page", () => {
  let paths: [path: string, ready: string][];

  before(async () => {
    const newest = async (which: string) => {
      const { items } = (await ask("GET", `/runs?${which}&limit=1`)) as { items: { id: string }[] };
      return items[0]?.id ?? "";
    };
    const id = await newest("job=slow&state=SUCCEEDED");
    const run = `/runs/${id}`;
    const nodes = (await ask("GET", "/cluster")) as { nodes: { name: string; kind: string }[] };
    const worker = nodes.nodes.find((node) => node.kind !== "server" && node.name !== "w-a")?.name;
    paths = [
      ["/", "#next"],
      ["/jobs", "tbody tr"],
      ["/jobs/default/tick", "tbody tr"],
      ["/jobs/default/tick?tab=day", "#past"],
      ["/jobs/default/tick?tab=calendar", ".year a.cell"],
      ["/jobs/default/tick?tab=stats&span=1h", ".stats .chart"],
      ["/jobs/default/tick?tab=versions", ".lines li"],
      ["/jobs/default/tick?tab=definition", ".command pre"],
      ["/jobs/default/tick/edit", "[role=status] table"],
      ["/jobs/new", "main form"],
      ["/runs", "tbody tr"],
      [run, ".log .line"],
      [`${run}?tab=data`, ".command pre"],
      [`${run}?tab=attempts`, ".lines li"],
      [`${run}?tab=timeline`, ".lines li"],
      [`/runs/${await newest("job=load_orders&state=FAILED")}?tab=shards`, ".gantt li"],
      [`/runs/compare?one=${id}&other=${await newest("job=markup")}`, ".pairlog td"],
      ["/nodes", "#servers"],
      [`/nodes?node=${worker}`, ".stats .chart"],
      ["/nodes?tab=health", ".checks li"],
      ["/nodes?tab=policy", "tbody tr"],
      ["/nodes?tab=drills", ".empty"],
      ["/jobs/default/charge?tab=alerts", ".alertline"],
      ["/alerts", ".alertline"],
      ["/alerts?tab=history", ".empty, .alertline"],
      ["/alerts?tab=rules", "tbody tr"],
      ["/alerts?tab=channels", "tbody tr"],
      ["/alerts?tab=silences", ".empty, tbody tr"],
      ["/checks", "tbody tr"],
      ["/checks?name=nightly-backup", "[role=dialog] #pings ~ div li"],
      ["/reports?tab=weekly", "#short"],
      ["/reports?tab=schedules", "tbody tr"],
      ["/backfills", ".lines li"],
      ["/calendars?name=cn-workdays", "#calendar"],
      ["/limits?name=ledger-db", "#users"],
      ["/locks", "tbody tr"],
      ["/events", ".lines li"],
      ["/events?tab=skips", ".empty, .lines li"],
      ["/tokens", "tbody tr"],
      ["/settings", "#about"],
      ["/jobs/no/such/page/there", "main h1"],
      // Runs are counted some seconds after their end, and a worker is dead when its session is over.
      [`/reports?date=${today()}`, "#failing"],
      ["/nodes?tab=failovers", "tbody tr"],
    ];
  });

  // One walk for all questions: a page is loaded once, and is asked for its other look where it stands.
  test("needs few calls, has no violation of accessibility in either theme, no English word in Chinese, and fits 360 pixels", async () => {
    const page = await pageOf();
    const calls = new Calls();
    calls.watch(page);
    await holdChanges(page);
    const wrong: [page: string, what: string[]][] = [];
    for (const [path, ready] of paths) {
      await openUntil(page, path, ready);
      await calls.untilQuiet(page);
      const [own, frame, again] = [calls.ofThePage(), calls.ofTheFrame(), calls.repeated()];
      if (own.length > CALLS_MAX) wrong.push([path, own]);
      if (frame.length > FRAME_MAX) wrong.push([path, frame]);
      wrong.push([path, [...again.map((call) => `again: ${call}`), ...(await wrongWithPage(page, calls))]]);
    }
    await page.goto(`${server.url}/`);
    for (const folded of [".crowd .fold", '[aria-labelledby="day"] .fold']) {
      await page.locator(`${folded} summary`).first().click();
      await page.locator(`${folded}[open] table`).first().waitFor();
    }
    wrong.push(["the figures of the overview", await wrongWithPage(page, calls)]);
    await withoutJobs(page);
    await page.goto(server.url);
    await page.locator("#first").waitFor();
    wrong.push(["the overview without a job", await wrongWithPage(page, calls)]);
    assert.deepEqual(
      wrong.filter(([, what]) => what.length > 0),
      [],
    );
    await page.context().close();
  });
});

/** Opens a page, and opens it again while what it is about has not been counted yet. */
async function openUntil(page: Page, path: string, ready: string): Promise<void> {
  for (let left = TRIES; ; left--) {
    await page.goto(server.url + path);
    try {
      await page.locator(ready).first().waitFor({ timeout: COUNTED_MS });
      return;
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}
