/// Jobs outside of Foliot that are to be heard of, and reports of days and weeks with their schedules.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { countPresses, pressesOf } from "../browser.ts";
import { violations } from "./looking.ts";
import { ask, counted, pageOf, server, today } from "./window.ts";

const CHECK = `dump-${process.pid}`;
const SCHEDULE = `morning-${process.pid}`;

const dialog = (page: Page): Locator => page.getByRole("dialog");

async function at(path: string): Promise<Page> {
  const page = await pageOf();
  await countPresses(page);
  await page.goto(server.url + path);
  await page.locator('.chip[data-is="live"]').waitFor();
  return page;
}

test("a check is one form, says how it is pinged, and is seen to fail and to be well again", async () => {
  const page = await at("/checks");
  await page.getByRole("button", { name: "New check" }).click();
  await dialog(page).getByRole("textbox", { name: "Name", exact: true }).fill(CHECK);
  await dialog(page).getByRole("textbox", { name: "Interval" }).fill("soon");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByText("FOL-1").first().waitFor(); // the form keeps what was written
  await dialog(page).getByRole("textbox", { name: "Interval" }).fill("1h");
  await dialog(page).getByText("The same as a command").click();
  await dialog(page).getByText(`foliot check create ${CHECK} --every 1h`).waitFor();
  assert.deepEqual(await violations(page), [], "the form of a check");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  const whole = dialog(page);
  await whole.getByText(`foliot check run ${CHECK} --server ${server.url} -- COMMAND`).waitFor();
  await whole.getByRole("tab", { name: "curl" }).click();
  await whole.getByText(`/api/v1/checks/${CHECK}:ping?kind=ok`).waitFor();
  assert.deepEqual(await violations(page), [], "a check");
  await ask("POST", `/checks/${CHECK}:ping?kind=fail`, { text: "no space left", exit_code: 28 });
  await whole.locator(".why .state").getByText("down").waitFor();
  await whole.getByRole("region", { name: "Last pings" }).getByText("exit code 28").waitFor();
  // What is down needs somebody: its alert stands in the overview, and leads back here.
  const other = await at("/");
  const need = other.locator("#needs ~ ul .alertline", { hasText: CHECK });
  await need.getByRole("link", { name: "Open" }).click();
  await other.waitForURL(new RegExp(`checks\\?name=${CHECK}`));
  assert.equal(await pressesOf(other), 1);
  await other.context().close();
  const finder = await at("/");
  await finder.keyboard.press("Control+k");
  await finder.keyboard.type(CHECK);
  await dialog(finder)
    .getByRole("option", { name: new RegExp(`^check\\s*${CHECK}`) })
    .click();
  await finder.waitForURL(new RegExp(`checks\\?name=${CHECK}`));
  await dialog(finder).getByRole("region", { name: "Last pings" }).getByText("exit code 28").waitFor();
  await finder.context().close();
  await ask("POST", `/checks/${CHECK}:ping?kind=ok`);
  await whole.locator(".why .state").getByText("up").waitFor();
  await page.context().close();
});

test("a check is changed, paused with a reason, waited for again, and taken away", async () => {
  const page = await at(`/checks?q=${CHECK}`);
  const row = page.getByRole("row", { name: new RegExp(CHECK) });
  await row.getByRole("button", { name: /^Edit/ }).click();
  await dialog(page).getByLabel("Rhythm").selectOption("cron");
  await dialog(page).getByRole("textbox", { name: "cron" }).fill("0 3 * * *");
  // Somebody else was faster: the difference is shown, and another press saves over it.
  const theirs = { check: { every: "2h" } };
  await ask("PUT", `/checks/${CHECK}`, theirs, { "If-Match": '"v1"' });
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByRole("row", { name: /cron/ }).first().waitFor();
  await dialog(page).getByRole("button", { name: "Save over it" }).click();
  await row.getByText("0 3 * * *").waitFor();
  await row.getByText("Asia/Shanghai").waitFor();
  await row.getByRole("button", { name: /^Pause/ }).click();
  await dialog(page).getByLabel("Reason").fill("the host moves");
  await dialog(page).getByRole("button", { name: "Pause" }).click();
  await row.getByText("paused").waitFor();
  await row.getByRole("button", { name: /^Resume/ }).click();
  await dialog(page).getByRole("button", { name: "Resume" }).click();
  await row.getByText("paused").waitFor({ state: "detached" });
  await row.getByRole("button", { name: /^Take away/ }).click();
  await dialog(page).getByRole("button", { name: "Take away" }).click();
  await row.waitFor({ state: "detached" });
  await page.context().close();
});

test("a report is read by its day, leads to the runs behind it, and is the same on the command line", async () => {
  const page = await at("/reports");
  await page.getByRole("tab", { name: "Daily", selected: true }).waitFor();
  await page.getByRole("button", { name: "Day after" }).click();
  await page.waitForURL(`${server.url}/reports?date=${today()}`);
  await page.getByText("goes on").waitFor();
  await page.getByText(`foliot report daily --date ${today()} --tz Asia/Shanghai`).waitFor();
  const failing = page.getByRole("table", { name: "Most failing" });
  const row = failing.getByRole("row", { name: /markup/ });
  await counted(page, row.getByText("error"));
  await row.getByRole("link").nth(1).click();
  await page.waitForURL(/runs\?.*state=FAILED/);
  await page.getByRole("table", { name: "List of runs" }).getByText("markup").first().waitFor();
  // The address that a message has: its own zone and namespace.
  await page.goto(`${server.url}/reports?tab=weekly&date=${today()}&tz=Europe%2FBerlin&namespace=default`);
  await page.getByRole("tab", { name: "Weekly", selected: true }).waitFor();
  await page.getByRole("heading", { name: /namespace default, week from/ }).waitFor();
  await page.getByText("--tz Europe/Berlin -n default").waitFor();
  assert.equal(await page.getByLabel("Namespace; empty: all").inputValue(), "default");
  await page.context().close();
});

test("a schedule of reports is made, changed and taken away, and stands there as a command", async () => {
  const page = await at("/reports?tab=schedules");
  await page.getByRole("button", { name: "New schedule" }).click();
  await dialog(page).getByRole("textbox", { name: "Name", exact: true }).fill(SCHEDULE);
  await dialog(page).getByLabel("oncall").check();
  await dialog(page).getByText(`foliot report schedule set ${SCHEDULE} --kind daily --at 08:00`).waitFor();
  assert.deepEqual(await violations(page), [], "the form of a schedule");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("row", { name: new RegExp(SCHEDULE) });
  await row.getByText("the whole cluster").waitFor();
  await row.getByRole("button", { name: /^Send now/ }).click();
  await dialog(page).locator("summary").click();
  await dialog(page).getByText(`foliot report schedule send ${SCHEDULE}`).first().waitFor();
  await dialog(page).getByRole("button", { name: "Send now" }).click();
  await page.locator(".toast").getByText("is on its way to: oncall.").waitFor();
  await row.getByRole("button", { name: /^Edit/ }).click();
  await dialog(page).getByLabel("Report", { exact: true }).selectOption("weekly");
  await dialog(page).getByLabel("Day of the week").selectOption("tue");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await row.getByText("Tuesday").waitFor();
  await row.getByRole("button", { name: /^Take away/ }).click();
  await dialog(page).getByRole("button", { name: "Take away" }).click();
  await row.waitFor({ state: "detached" });
  await page.context().close();
});
