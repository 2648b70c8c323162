/// Jobs: what is seen of one, its versions, its year by keys, its schedule in two zones; the jobs of a group.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./looking.ts";
import { ask, pageOf, server } from "./window.ts";

const RUN = { python: "jobs:daily" };

test("from the bare list of jobs a group is chosen, its jobs alone are seen, and the cell of a group leads there, too", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  const rows = page.getByRole("table", { name: "List of jobs" }).locator("tbody tr");
  await rows.getByRole("link", { name: "daily", exact: true }).waitFor();
  const group = page.getByRole("combobox", { name: "Group" });
  await group.focus();
  const offered = page.locator(`datalist[id="${await group.getAttribute("list")}"] option`);
  await offered.nth(1).waitFor({ state: "attached" });
  const groups = await offered.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  assert.ok(groups.includes("default") && groups.includes("nights"), groups.join());
  await group.pressSequentially("night");
  await rows.getByRole("link", { name: "daily", exact: true }).waitFor(); // half a name filters nothing
  await group.pressSequentially("s");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/jobs?group=nights`);
  await rows.getByRole("link", { name: "daily", exact: true }).waitFor({ state: "detached" });
  assert.equal(await rows.count(), 2);
  await group.fill("");
  await page.waitForURL(`${server.url}/jobs`);
  await page.goto(`${server.url}/jobs?columns=group`);
  await rows.getByRole("link", { name: "nights" }).first().click();
  await page.waitForURL(/group=nights/);
  await rows.getByRole("link", { name: "daily", exact: true }).waitFor({ state: "detached" });
  await page.context().close();
});

test("the page of a job says where it comes from, its tags and cron, and what to look at again", async () => {
  const page = await pageOf();
  const schedule = { cron: "0 9 1 * MON" };
  await ask("POST", "/jobs", {
    name: "mondays",
    definition: { run: RUN, schedule, tags: { team: "books" } },
  });
  await page.goto(`${server.url}/jobs?q=mondays`);
  const cell = page.getByRole("row", { name: /mondays/ }).locator("td.cut");
  assert.match((await cell.getAttribute("title")) ?? "", /\n0 9 1 \* MON$/, "the cron as it is written");
  await page.goto(`${server.url}/jobs/default/mondays`);
  await page.locator(".facts").getByText("0 9 1 * MON").waitFor();
  await page.locator(".facts").getByText("team=books").waitFor();
  await page.locator(".facts").getByText("saved by console or API").waitFor();
  await page.getByText(/▲ .*fires on the 1st AND on every Monday/).waitFor();
  await page.goto(`${server.url}/jobs/default/daily`);
  await page.locator(".facts").getByText("declared in code").waitFor();
  await page.context().close();
});

test("two versions are compared field by field, and a job goes back to the earlier one", async () => {
  const page = await pageOf();
  await ask("POST", "/jobs", { name: "went_back", definition: { run: RUN, timeout: "5m" } });
  const change = { definition: { timeout: "50m" }, reason: "too short" };
  await ask("PATCH", "/jobs/went_back", change, { "If-Match": '"v1"' });
  await page.goto(`${server.url}/jobs/default/went_back?tab=versions`);
  const versions = page.getByRole("tabpanel").locator("li");
  await versions.filter({ hasText: "too short" }).getByText("current").waitFor();
  await page.getByRole("button", { name: "Compare with version 1" }).click();
  const row = page.getByRole("row", { name: /timeout/ });
  await row.waitFor();
  assert.deepEqual(await row.getByRole("cell").allTextContents(), ["timeout", "5m", "50m"]);
  await versions.filter({ hasText: "version 1" }).getByRole("button", { name: "Go back" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("long enough");
  await dialog.getByRole("button", { name: "Go back to this version" }).click();
  await page.locator(".toast").getByText("went_back has the content of version 1 again.").waitFor();
  await versions.filter({ hasText: "long enough" }).getByText("current").waitFor();
  const { version, definition } = await ask("GET", "/jobs/went_back");
  assert.deepEqual([version, (definition as { timeout: string }).timeout], [3, "5m"]);
  await page.context().close();
});

test("the editor shows the next instants in two zones, and what the server warns of", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/new`);
  await page.getByRole("textbox", { name: "Job" }).fill("in_berlin");
  const yaml = page.getByLabel("Definition as YAML");
  await yaml.fill("run:\n  python: jobs:daily\nschedule:\n  cron: 30 2 * * *\n  tz: Europe/Berlin\n");
  const fires = page.getByRole("table", { name: "Next instants" });
  await fires.getByRole("columnheader", { name: "Europe/Berlin" }).waitFor();
  const zones = await fires.getByRole("columnheader").allTextContents();
  assert.deepEqual(zones.slice(0, 2), ["Asia/Shanghai", "Europe/Berlin"]);
  const first = fires.locator("tbody tr").first().getByRole("cell");
  await first.nth(1).getByText("02:30:00").waitFor();
  assert.match((await first.first().textContent()) ?? "", / (08|09):30:00$/, "six or seven hours ahead");
  await page.getByText(/▲ 02:30 does not exist on .* in Europe\/Berlin/).waitFor();
  await page.getByText("The same as a request").click();
  const curl = (await page.locator("form .command pre").textContent()) ?? "";
  assert.ok(curl.includes('{"name":"in_berlin","definition":{"run":{"python":"jobs:daily"},'), curl);
  await page.context().close();
});

test("the year of a job is walked by arrows, and stands as a table for readers aloud", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/daily?tab=calendar`);
  const cells = page.locator(".year a.cell");
  await cells.nth(1).waitFor();
  const days = await cells.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.day));
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.day);
  assert.equal(await page.locator('.year a.cell[tabindex="0"]').count(), 1, "one stop of the page");
  await page.locator('.year a.cell[tabindex="0"]').focus();
  assert.equal(await focused(), days.at(-1));
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), days.at(-2));
  await page.keyboard.press("Home");
  assert.equal(await focused(), days[0]);
  await page.getByText("The days as a table").click();
  const table = page.getByRole("table", { name: "The days as a table" });
  await table.getByRole("columnheader", { name: "succeeded" }).waitFor();
  assert.equal(await table.locator("tbody tr").count(), days.length);
  assert.deepEqual(await violations(page), [], "the year with its table");
  await page.locator('.year a.cell[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("day") === days[0]);
  await page.context().close();
});

test("each instant of a day looks as what became of it, and a press on it says why; so does one on a clock", async () => {
  const page = await pageOf();
  const yesterday = new Date(Date.now() + (8 - 24) * 3_600_000).toISOString().slice(0, 10);
  await page.goto(`${server.url}/jobs/default/chequered?tab=day&day=${yesterday}`);
  const picture = page.getByRole("img", { name: "Instants of the day: 1 created, 4 skipped" });
  await picture.waitFor();
  for (const [kind, sentence] of [
    ["good", /r-[0-9a-z]+|succeeded/],
    ["overlap", /skipped: an earlier run was still open/],
    ["closed", /weekend/],
    ["missed", /missed/],
    ["paused", /skipped: chequered was paused/],
  ] as const) {
    await picture.locator(`rect[data-kind="${kind}"]`).click();
    await page.locator(".day + .whole .why", { hasText: sentence }).waitFor();
  }
  await picture.locator('path[data-kind="clock"]').click();
  await page.locator(".day + .lines").getByText("clock stepped back").waitFor();
  const legend = await page.locator(".legend > span").allInnerTexts();
  assert.deepEqual(
    legend.map((text) => text.trim()),
    [
      "succeeded 1",
      "missed 1",
      "an earlier run was open 1",
      "closed by a calendar or blackout 1",
      "paused 1",
      "◆ a clock",
    ],
  );
  const fills = await picture.locator("rect[data-kind]").evaluateAll((bars) =>
    bars.map((bar) => {
      const { fill } = getComputedStyle(bar);
      return `${fill} ${bar.getAttribute("height")}`;
    }),
  );
  assert.equal(new Set(fills).size, fills.length, "no two kinds look alike");
  assert.deepEqual(await violations(page), [], "a day with everything");
  await page.context().close();
});

test("the window is called by what it shows, readers aloud hear where they went, and l opens the newest run", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  await page.waitForFunction(() => document.title === "Jobs · Foliot");
  const told = page.locator('[role=status][translate="no"].hidden');
  assert.equal(await told.textContent(), "", "the browser itself tells of the first page");
  await page
    .getByRole("table", { name: "List of jobs" })
    .getByRole("link", { name: "daily", exact: true })
    .click();
  await page.waitForFunction(() => document.title === "daily · Jobs · Foliot");
  await told.getByText("daily · Jobs · Foliot").waitFor();
  await page.locator(".strip.long a").first().waitFor();
  const { items } = (await ask("GET", "/runs?job=daily&limit=1")) as { items: { id: string }[] };
  const newest = items[0]?.id ?? "";
  await page.keyboard.press("l");
  await page.waitForURL(`${server.url}/runs/${newest}`);
  await page.waitForFunction((title) => document.title === title, `${newest} · Runs · Foliot`);
  const log = page.getByRole("log");
  await log.waitFor();
  await page.keyboard.press("l");
  await log.and(page.locator(":focus")).waitFor();
  assert.equal(page.url(), `${server.url}/runs/${newest}`);
  await page.getByRole("button", { name: "中文" }).click();
  await page.waitForFunction((title) => document.title === title, `${newest} · 执行 · Foliot`);
  await page.context().close();
});
