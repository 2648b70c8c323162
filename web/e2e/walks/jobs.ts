/// Jobs: paused, found, looked back at, written, all of a filter at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations, widthAt } from "./looking.ts";
import { ask, pageOf, server } from "./window.ts";

test("two browsers see each other: one pauses a job with a reason, the other shows it without a reload", async () => {
  const [one, other] = [await pageOf(), await pageOf()];
  await other.goto(`${server.url}/jobs/default/tick`);
  await other.locator(".title").getByText("active").waitFor();
  await other.locator('.chip[data-is="live"]').waitFor();
  await one.goto(`${server.url}/jobs/default/tick`);
  await one.getByRole("button", { name: "Pause" }).click();
  await one.getByLabel("Reason").fill("month end");
  await one.getByText("The same as a command").click();
  await one.getByRole("dialog").getByText("foliot job pause tick --reason 'month end'").waitFor();
  await one.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await one.getByText("tick is paused.").waitFor();
  await other.getByText("month end").waitFor();
  await other.getByRole("button", { name: "Resume" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await one.locator(".title").getByText("active").waitFor();
  await one.context().close();
  await other.context().close();
});

test("Ctrl-K finds a job, a filter stands in the address, and keys go from page to page", async () => {
  const page = await pageOf();
  await page.goto(server.url);
  await page.locator("#needs").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("Search jobs, runs, nodes and pages").fill("tick");
  await page.getByRole("option", { name: /tick/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.url}/jobs/default/tick`);
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.waitForURL(`${server.url}/jobs`);
  await page.getByRole("table").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("tick");
  await page.waitForURL(`${server.url}/jobs?q=tick`);
  await page.reload();
  await page.getByRole("table").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.goBack();
  await page.context().close();
});

test("columns are chosen by keys, stand in the address, are kept in the browser, and go back to the usual ones", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?q=load`);
  const heads = page.getByRole("table", { name: "List of jobs" }).locator("thead th");
  await heads.first().waitFor();
  const words = async () => (await heads.allTextContents()).join(" · ");
  const usual = await words();
  await page.getByRole("button", { name: "Columns" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitemcheckbox", { name: "Latest runs", checked: true }).waitFor();
  assert.deepEqual(await violations(page), [], "the menu of columns");
  for (const key of ["ArrowDown", "Space"]) await page.keyboard.press(key); // from the first one
  await page.getByRole("menuitemcheckbox", { name: "Owner", checked: true }).waitFor();
  await page.keyboard.press("l"); // not the key of the page that opens a log
  await page.locator("[role=menuitemcheckbox]:focus", { hasText: "Last run" }).waitFor();
  await page.getByRole("menuitemcheckbox", { name: "Latest runs" }).click();
  await page.waitForURL((url) => url.searchParams.get("columns") === "owner,schedule,next,last,p95");
  await page.keyboard.press("Escape");
  const chosen = "Job · Owner · Schedule · Next · Last run · p95 · Actions";
  assert.equal(await words(), chosen);
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: "load_orders", exact: true }) });
  assert.equal(await row.getByText("数据组").count(), 1, "the owner stands once");
  await page.goto(`${server.url}/jobs`);
  await heads.first().waitFor();
  assert.equal(await words(), chosen, "the browser keeps them");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.goto(`${server.url}/jobs?columns=name`);
  await heads.first().waitFor();
  assert.equal(await words(), "Job · Actions", "those of an address go first");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "The usual columns" }).click();
  await page.waitForURL(`${server.url}/jobs`);
  await heads.getByText("Latest runs").waitFor();
  assert.equal(await words(), usual);
  await page.context().close();
});

test("letters that are typed right after Ctrl-K are in the search, and are no keys of the page", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("table").waitFor();
  // In one task of the page: nothing that is drawn later can help.
  const focused = await page.evaluate(() => {
    const pressed = { key: "k", ctrlKey: true, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", pressed));
    return document.activeElement?.getAttribute("role");
  });
  assert.equal(focused, "combobox");
  await page.keyboard.type("gjtick");
  assert.equal(await page.getByRole("dialog").getByRole("combobox").inputValue(), "gjtick");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.context().close();
});

test("a command is copied where the browser has no clipboard, and what could not be copied is said", async () => {
  const page = await pageOf();
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined })); // as on http://10.0.0.5
  await page.goto(`${server.url}/jobs/default/daily`);
  await page.locator('.title [data-key="p"]').click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The same as a command").click();
  await dialog.getByRole("button", { name: "Copy" }).first().click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  await dialog.getByLabel("Reason").focus();
  await page.keyboard.press("ControlOrMeta+v");
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "foliot job pause daily");
  await page.evaluate(() => Object.defineProperty(document, "execCommand", { value: () => false }));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("y");
  await page.locator(".toast").getByText("The browser refused to copy the link.").waitFor();
  await page.context().close();
});

test("a year leads to a day, and a day to the sentence about one instant", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/tick?tab=calendar`);
  const today = page.locator(".year a.cell").last();
  assert.match((await today.getAttribute("title")) ?? "", /succeeded \d/);
  await today.click();
  await page.waitForURL(/tab=day/);
  await page.getByRole("img", { name: /created, .* skipped/ }).waitFor();
  await page.locator("#past ~ ul li").first().getByRole("button", { name: "Why?" }).click();
  await page.locator("#past ~ ul .why").waitFor();
  await page.getByRole("button", { name: "Day before" }).click();
  await page.getByText("No instant was due on this day.").waitFor();
  await page.getByRole("button", { name: "Today" }).click();
  await page.getByRole("tab", { name: "Definition" }).click();
  await page.locator(".command pre").getByText("schedule:").waitFor();
  await page.goto(server.url);
  await page.locator(".crowd svg rect").first().waitFor();
  await page.context().close();
});

test("the past is filled after a look at its instants, and a calendar is saved", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/daily`);
  const nexts = page.locator(".facts > span", { hasText: /^next/ }).locator("time");
  await nexts.nth(2).waitFor();
  const instants = await nexts.evaluateAll((all) => all.map((one) => (one as HTMLTimeElement).dateTime));
  assert.deepEqual(
    instants.map((iso) => Date.parse(iso) - Date.parse(instants[0] ?? "")),
    [0, 1, 2].map((days) => days * 86_400_000),
    "the next three nights",
  );
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Backfill" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("7 instants get a run:").waitFor();
  await dialog.getByRole("button", { name: "Start 7 runs" }).click();
  await page.locator(".toast").getByText("7 instants of the past").waitFor();
  await page.goto(`${server.url}/backfills`);
  await page.getByText("7 / 7").waitFor({ timeout: 60_000 }); // one run after the other
  await page.goto(`${server.url}/calendars`);
  await page.getByRole("button", { name: "New calendar" }).click();
  await dialog.getByLabel("Name").fill("shop-days");
  await dialog.getByLabel("Days that count").fill("country: [CN");
  await dialog.getByText(/^Line 1 is no YAML: /).waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Save" }).isDisabled(), true);
  await dialog.getByLabel("Days that count").fill("country: CN\nexclude: [2030-12-31]\n");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/name=shop-days/);
  await page.getByText("No job uses it.").waitFor();
  const listed = page.getByRole("list", { name: "List of calendars" });
  const link = listed.getByRole("link", { name: "shop-days" });
  assert.equal(
    await link.getAttribute("href"),
    "/calendars?name=shop-days",
    "the middle button opens it, too",
  );
  await page.context().close();
});

test("a job is written with form and YAML, and a change of somebody else is seen field by field", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/new`);
  await page.getByRole("table", { name: "Next instants" }).waitFor();
  assert.equal(await page.locator(".problem").count(), 0, "an empty form is not scolded");
  await page.getByRole("textbox", { name: "Job" }).fill("made_here");
  await page
    .getByLabel("Definition as YAML")
    .fill("run:\n  python: jobs:daily\nschedule:\n  cron: 0 2 * * *\n");
  await page.getByRole("table", { name: "Next instants" }).getByText("02:00:00").first().waitFor();
  await page.getByLabel("Timeout").fill("soon");
  await page.locator(".problem").getByText("timeout").first().waitFor();
  assert.equal(
    await page.getByLabel("Timeout").getAttribute("aria-invalid"),
    "true",
    "it is said at its field",
  );
  await page.getByLabel("Timeout").fill("10m");
  await page.locator(".problem").waitFor({ state: "detached" });
  await page.getByText("Where it runs, and how many may wait").focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Route: which worker gets a run").selectOption("sticky");
  await page.getByLabel("By the parameter").fill("customer");
  const require = page.getByLabel("Labels that a worker must have");
  await require.fill("gpu");
  await page.getByText("Write label=value, with commas between").waitFor();
  await require.fill("gpu=yes, bad name=1");
  await page.locator(".problem").getByText("place.require").waitFor();
  await page.locator('[aria-invalid="true"]').waitFor();
  await require.fill("");
  await page.getByLabel("Runs that may wait").fill("100");
  await page.getByText("Limits: how many run at a time").click();
  await page.getByLabel("Runs at a time").fill("many");
  await page.getByText("Write a whole number from 1 to 100000.").waitFor();
  await page.getByLabel("Runs at a time").fill("4");
  await page.getByLabel("Starts in a time").fill("100 a minute");
  await page.getByLabel("Starts in a time").and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByLabel("Starts in a time").fill("100/m");
  await page.getByLabel("Named limits").fill("settle-db=4");
  await page.getByText("Triggers that come close together").click();
  await page.getByLabel("Debounce: quiet time").fill("10s");
  await page.locator(".problem").waitFor({ state: "detached" });
  assert.match(
    await page.getByLabel("Definition as YAML").inputValue(),
    /place:\n {2}route:\n {4}name: sticky\n {4}by: customer\n {2}max_waiting: 100\n {2}max_running: 4\n {2}rate: 100\/m\n {2}concurrency:\n {4}settle-db: 4\ndebounce: 10s\n/,
  );
  assert.deepEqual(await violations(page), [], "the form with all its fields");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/made_here\?tab=versions/);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Cron expression" }).fill("0 3 * * *");
  const difference = page.locator("#difference + table");
  await difference.getByText("0 3 * * *").waitFor();
  const theirs = await page.request.patch(`${server.url}/api/v1/jobs/made_here`, {
    data: { definition: { owner: "night-shift" } },
    headers: { "X-Foliot-Csrf": "1", "If-Match": '"v1"' },
  });
  assert.equal(theirs.status(), 200);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("region", { name: "Somebody else changed it meanwhile" });
  const owner = conflict.getByRole("row", { name: /owner/ });
  await owner.getByText("night-shift").waitFor();
  await page.reload();
  assert.match(await page.getByLabel("Definition as YAML").inputValue(), /0 3 \* \* \*/, "the draft is kept");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await owner.getByRole("button", { name: "Take theirs" }).click();
  await conflict.getByRole("button", { name: "Go on against version 2" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".toast").getByText("made_here is saved as version 3.").waitFor();
  await page.context().close();
});

test("a job is made in the namespace that is chosen, and its past is filled from the page of backfills", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/new?in=payroll`);
  const field = page.getByRole("combobox", { name: "Namespace" }).and(page.locator("input"));
  assert.equal(await field.inputValue(), "payroll");
  await page.getByRole("textbox", { name: "Job" }).fill("wages");
  await page.getByLabel("Definition as YAML").fill("run: [");
  await page.getByText(/^Line 1 is no YAML: /).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
  await page
    .getByLabel("Definition as YAML")
    .fill("run:\n  python: jobs:daily\nschedule:\n  cron: 0 2 * * *\n");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/jobs\/payroll\/wages/);
  await page.goto(`${server.url}/backfills`);
  await page.getByRole("button", { name: "New backfill" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Job" }).fill("wages");
  await dialog.getByLabel("Namespace").fill("payroll");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("7 instants get a run:").waitFor();
  await page.context().close();
});

test("who comes back to the editor finds what somebody else saved meanwhile", async () => {
  const page = await pageOf();
  await ask("POST", "/jobs", { name: "reopened", definition: { run: { python: "jobs:daily" } } });
  await page.goto(`${server.url}/jobs/default/reopened/edit`);
  await page.getByLabel("Owner").waitFor();
  await page.locator(".rail").getByRole("link", { name: "Jobs", exact: true }).click(); // within the console: what was read is kept for minutes
  await page.getByRole("table").waitFor();
  await ask("PATCH", "/jobs/reopened", { definition: { owner: "night-shift" } }, { "If-Match": '"v1"' });
  await page.goBack();
  await page.getByLabel("Owner").and(page.locator('[value="night-shift"]')).waitFor();
  await page.context().close();
});

test("all jobs of a filter are paused together after they were listed, and one press takes that back", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?q=daily`);
  const table = page.getByRole("table", { name: "List of jobs" });
  await table.getByText("daily").waitFor();
  await page.getByRole("button", { name: "All of these …" }).click();
  await page.getByRole("menuitem", { name: "Pause all" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("list", { name: "List of jobs" }).getByText("daily").waitFor();
  await dialog.getByRole("button", { name: "Pause this job" }).click();
  const toast = page.locator(".toast", { hasText: "Paused: 1." });
  await table.getByText("paused").waitFor();
  await toast.getByRole("button", { name: "Undo" }).click();
  await table.getByText("paused").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "All of these …" }).click();
  await page.getByRole("menuitem", { name: "Delete all" }).click();
  assert.equal(await dialog.getByRole("button", { name: "Delete this job" }).isDisabled(), true);
  await page.context().close();
});

test("a view is saved under a name, opened again from another page, and forgotten", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs?failing=true`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("failing");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("The view failing is saved.").waitFor();
  await page.goto(`${server.url}/locks`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "failing", exact: true }).click();
  await page.waitForURL(`${server.url}/jobs?failing=true`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "Forget failing" }).click();
  await dialog.getByRole("button", { name: "Forget" }).click();
  await page.locator(".toast").getByText("The view failing is gone.").waitFor();
  await page.context().close();
});

test("a favourite is one press, stands in the search and in a filter of its own, in each browser", async () => {
  const [page, other] = [await pageOf(), await pageOf()];
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "Add daily to your favourites" }).click();
  await page.getByRole("button", { name: "Take daily out of your favourites" }).waitFor();
  await other.goto(`${server.url}/jobs?starred=true`);
  const rows = other.getByRole("table", { name: "List of jobs" }).locator("tbody tr");
  await rows.getByRole("link", { name: "daily" }).waitFor();
  assert.equal(await rows.count(), 1);
  await other.keyboard.press("Control+k");
  await other.getByRole("option", { name: /favourite\s*daily/ }).click();
  await other.waitForURL(`${server.url}/jobs/default/daily`);
  await other.getByRole("button", { name: "Take daily out of your favourites" }).click();
  await other.keyboard.press("Control+k");
  await other.getByRole("option", { name: /recent\s*daily/ }).waitFor();
  await other.context().close();
  await page.context().close();
});
