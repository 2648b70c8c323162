/// Runs: started, waiting, cancelled, retried.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Calls, countPresses, pressesOf } from "../browser.ts";
import { violations, widthAt } from "./looking.ts";
import { ask, drop, pageOf, server } from "./window.ts";

test("a job is triggered by a form with two clicks, and its run is seen to end, with its log", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "Trigger slow" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("name").fill("Ada");
  await form.getByText("foliot job trigger slow -p name=Ada").waitFor();
  await form.getByRole("button", { name: "Trigger", exact: true }).click();
  await page.waitForURL(/\/runs\/r-/);
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page
    .getByRole("log")
    .getByText(/hello.*name=Ada/)
    .first()
    .waitFor();
  await title.getByText("succeeded").waitFor();
  await page.getByRole("tab", { name: "Parameters and result" }).click();
  await page.getByText('"name": "Ada"').waitFor();
  assert.match(page.url(), /tab=data/, "the tab stands in the address");
  await page.context().close();
});

test("runs that wait say why in their list, all of a page by one request, with the next step", async () => {
  const page = await pageOf();
  const headers = { "X-Foliot-Csrf": "1" };
  const made = { name: "unserved", definition: { run: { python: "far:unserved" }, overlap: "allow" } };
  assert.equal((await page.request.post(`${server.url}/api/v1/jobs`, { headers, data: made })).status(), 201);
  const trigger = `${server.url}/api/v1/jobs/unserved:trigger`;
  for (const _ of [1, 2]) assert.ok((await page.request.post(trigger, { headers, data: {} })).ok());
  await page.goto(`${server.url}/runs?job=unserved`);
  const rows = page.getByRole("table", { name: "List of runs" }).getByRole("button", { name: /^Why\?/ });
  await rows.nth(1).waitFor();
  const calls = new Calls();
  calls.watch(page);
  for (const place of [0, 1]) {
    await rows.nth(place).click();
    await page.locator("tr.inner .why").getByText("far:unserved").first().waitFor();
    assert.equal(await rows.nth(place).getAttribute("aria-expanded"), "true");
  }
  const asked = calls.ofThePage().filter((call) => call.includes("/why") || call.includes(":why"));
  assert.equal(asked.length, 1, asked.join(", "));
  assert.deepEqual(await violations(page), [], "a run with its reason");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${server.url}/jobs/default/unserved`);
  await page
    .getByRole("button", { name: /^Why\?/ })
    .first()
    .click();
  await page.locator("tr.inner .why").getByText("far:unserved").first().waitFor();
  await page.context().close();
});

test("a run that executes is cancelled, and one that is over is retried", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/endless`);
  await page.getByRole("button", { name: "Trigger" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Trigger", exact: true }).click();
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await title.getByText("cancelled").waitFor();
  const before = page.url();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.locator(".toast", { hasText: "runs again" }).getByRole("link").click();
  await page.waitForURL((url) => url.href !== before);
  await title.getByText("running").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await title.getByText("cancelled").waitFor();
  await page.context().close();
});

test("a cancel tells how far it came, and what does not stop is ended at once", async () => {
  const page = await pageOf();
  const run = (await ask("POST", "/jobs/stubborn:trigger", {})).id as string;
  await page.goto(`${server.url}/runs/${run}`);
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("wrong day");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  const stages = page.getByRole("list", { name: "How far the cancel came" }).getByRole("listitem");
  await stages.filter({ hasText: /asked to stop.*wrong day/ }).waitFor();
  await stages.filter({ hasText: "its worker learns of it" }).waitFor();
  await title.getByText("cancelling").waitFor();
  assert.deepEqual(await violations(page), [], "a run that is to stop");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "End at once" }).click();
  await page.getByRole("dialog").getByText("It is ended at once, without asking.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "End at once" }).click();
  await title.getByText("cancelled").waitFor();
  await stages.filter({ hasText: "cancelled" }).waitFor();
  assert.equal(await stages.count(), 3);
  await page.context().close();
});

test("a run that was cancelled keeps its shards on its page", async () => {
  const page = await pageOf();
  const run = (await ask("POST", "/jobs/fan:trigger", {})).id as string;
  await page.goto(`${server.url}/runs/${run}`);
  const title = page.locator(".title");
  await title.getByText("running").waitFor();
  await page.getByRole("tab", { name: "Shards" }).click();
  const shards = page.getByRole("tabpanel").getByRole("listitem");
  await shards.filter({ hasText: "running" }).nth(1).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await title.getByText("cancelled").waitFor();
  await shards.filter({ hasText: "cancelled" }).nth(1).waitFor();
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("tab", { name: "Shards" }).click();
  await shards.filter({ hasText: "cancelled" }).nth(1).waitFor();
  await page.context().close();
});

test("why a run waits is asked again while somebody looks, and not while nobody does", async () => {
  const page = await pageOf();
  await page.clock.install();
  await ask("POST", "/jobs", { name: "unasked", definition: { run: { python: "far:unasked" } } });
  const run = (await ask("POST", "/jobs/unasked:trigger", {})).id as string;
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes(`${run}/why`) && asked.push(request.url()));
  await page.goto(`${server.url}/runs/${run}`);
  await page.locator(".why").getByText("far:unasked").first().waitFor();
  for (const again of [1, 2]) {
    const before = asked.length;
    const [answer] = await Promise.all([page.waitForResponse(/\/why/), page.clock.runFor(6000)]);
    assert.ok(answer.ok() && asked.length > before, `asked the ${again}th time`);
  }
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const before = asked.length;
  await page.clock.runFor(60_000);
  assert.equal(asked.length, before);
  await page.context().close();
});

test("a run is retried in the version that it had, or in the latest of its job", async () => {
  const page = await pageOf();
  const job = "/jobs/versioned";
  await ask("POST", "/jobs", { name: "versioned", definition: { run: { python: "jobs:nightly" } } });
  const run = (await ask("POST", `${job}:trigger`, {})).id as string;
  await page.goto(`${server.url}/runs/${run}`);
  const title = page.locator(".title");
  await title.getByText("succeeded").waitFor();
  await ask("PATCH", job, { definition: { description: "another" } }, { "If-Match": '"v1"' });
  for (const [choice, version] of [
    ["the one it had: 1", "1"],
    ["the latest of the job", "2"],
  ] as const) {
    await page.goto(`${server.url}/runs/${run}`);
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByLabel("Version").selectOption({ label: choice });
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.locator(".toast", { hasText: "runs again" }).getByRole("link").last().click();
    await page.locator(".facts").getByText(`version ${version}`).waitFor();
    await title.getByText("succeeded").waitFor();
  }
  await page.context().close();
});

test("all failed runs of a job are retried together, after they were listed", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs?job=markup&state=FAILED`);
  await page.getByRole("button", { name: /^Retry th(is run|ese \d+)$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("link", { name: "markup" }).first().waitFor();
  const listed = await dialog.getByRole("link", { name: "markup" }).count();
  const press = listed === 1 ? "Retry this run" : `Retry these ${listed}`;
  await dialog.getByRole("button", { name: press }).click();
  await page
    .locator(".toast")
    .getByText(new RegExp(`^${listed} runs?\\.`))
    .waitFor();
  await page.context().close();
});

test("all runs of a filter are cancelled together, also more than a page and a request take", async () => {
  const page = await pageOf();
  const count = 205;
  const definition = { run: { python: "far:crowd" }, overlap: "allow" };
  await ask("POST", "/jobs", { name: "crowd", definition });
  for (let made = 0; made < count; made += 5)
    await Promise.all([1, 2, 3, 4, 5].map(() => ask("POST", "/jobs/crowd:trigger", {})));
  await page.goto(`${server.url}/runs?job=crowd&state=PENDING`);
  await page.getByRole("button", { name: "Cancel all that match …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: `Cancel these ${count}` }).click();
  await page.locator(".toast").getByText(`${count} runs.`).waitFor();
  const { items } = (await ask("GET", "/runs?job=crowd&state=pending")) as { items: unknown[] };
  assert.deepEqual(items, []);
  await page.context().close();
});

/** A zone in which it is three o'clock at night. */
function nightZone(): string {
  const ahead = ((3 - new Date().getUTCHours() + 36) % 24) - 12;
  return `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

test("last night's failures run again: two presses from the bare list of runs", async () => {
  const page = await pageOf({ zone: nightZone() });
  const failed = (await ask("POST", "/jobs/deep:trigger", {})).id as string;
  assert.equal((await ask("GET", `/runs/${failed}?wait=20`)).state, "FAILED");
  await ask("POST", "/jobs", { name: "vanishing", definition: { run: { python: "jobs:deep" } } });
  const lost = (await ask("POST", "/jobs/vanishing:trigger", {})).id as string;
  assert.equal((await ask("GET", `/runs/${lost}?wait=20`)).state, "FAILED");
  const headers = { "X-Foliot-Csrf": "1", "If-Match": '"v1"' };
  assert.ok((await page.request.delete(`${server.url}/api/v1/jobs/vanishing`, { headers })).ok());
  await countPresses(page);
  await page.goto(`${server.url}/runs`);
  await page.getByRole("button", { name: "Retry last night's failures …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("link", { name: failed, exact: true }).waitFor();
  assert.deepEqual(await violations(page), [], "failures of a night");
  await dialog.getByRole("button", { name: /^Retry th/ }).click();
  await page
    .locator(".toast")
    .getByText(/^\d+ runs?\.$/)
    .waitFor();
  await dialog.getByRole("alert").getByRole("link", { name: lost, exact: true }).waitFor(); // it stopped no other
  assert.equal(await pressesOf(page), 2);
  const { items } = (await ask("GET", "/runs?job=deep")) as { items: { retry_of: string | null }[] };
  assert.ok(items.some((run) => run.retry_of === failed));
  await page.context().close();
});

test("a job is chosen by a part of its name, and nothing is refused while it is written", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs`);
  const rows = page.getByRole("table", { name: "List of runs" }).locator("tbody tr");
  await rows.first().waitFor();
  const refused: string[] = [];
  page.on("response", (answer) => answer.status() >= 400 && refused.push(answer.url()));
  const field = page.getByLabel("Name of a job");
  await field.pressSequentially("load_o", { delay: 60 });
  await page.getByRole("status").getByText("Enter: load_orders").waitFor();
  assert.equal(new URL(page.url()).search, "");
  await field.press("Enter");
  await page.waitForURL(/job=load_orders/);
  await rows.filter({ hasNotText: "load_orders" }).first().waitFor({ state: "detached" });
  await field.fill("no such job");
  await page.getByRole("status").getByText("No name has this in it.").waitFor();
  assert.match(page.url(), /job=load_orders/);
  await field.fill("");
  await page.waitForURL((url) => url.search === "");
  assert.deepEqual(refused, []);
  await page.context().close();
});

test("runs are filtered by node and time, which stand in the address", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/runs?state=SUCCEEDED`);
  const table = page.getByRole("table", { name: "List of runs" });
  const node = (await table.locator("tbody tr").first().locator("td").nth(7).textContent()) ?? "";
  await page.getByLabel("Node", { exact: true }).fill(node);
  await page.waitForURL(/node=/);
  const time = page.getByLabel("Time", { exact: true });
  await time.selectOption("Last hour");
  await page.waitForURL(/span=1h/);
  await table.locator("tbody tr").first().waitFor();
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await time.selectOption("From … to …");
  await page.getByLabel("From", { exact: true }).fill("2031-01-01T00:00");
  await page.waitForURL(/since=2030-12-31T16/); // in the zone of the window
  await page.getByText("No runs match.").waitFor();
  await page.getByRole("button", { name: /^Clear \d filters$/ }).click();
  await page.waitForURL((url) => url.search === "");
  await table.locator("tbody tr").first().waitFor();
  await page.context().close();
});

test("two runs are chosen in a list and stand beside each other, with what differs", async () => {
  const page = await pageOf();
  const headers = { "X-Foliot-Csrf": "1" };
  const made: string[] = [];
  for (const name of ["Ada", "Grace"]) {
    const data = { params: { name } };
    const answer = await page.request.post(`${server.url}/api/v1/jobs/slow:trigger`, { headers, data });
    made.push(((await answer.json()) as { id: string }).id);
  }
  for (const id of made) {
    await page.goto(`${server.url}/runs/${id}`);
    await page.locator(".title").getByText("succeeded").waitFor(); // one that ends later would wait behind "1 new"
  }
  await page.goto(`${server.url}/runs?job=slow&state=SUCCEEDED`);
  for (const id of made) {
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: id, exact: true }) });
    await row.getByRole("button", { name: /^Compare/ }).click();
  }
  await page.waitForURL(/runs\/compare\?one=r-.*&other=r-/);
  const log = page.getByRole("region", { name: "Logs" });
  await log.getByText("name=Ada").first().waitFor();
  const beside = log.getByRole("row").filter({ hasText: "done=1" });
  assert.match((await beside.first().textContent()) ?? "", /name=/);
  await page.getByLabel("Only what differs").check();
  await page.getByRole("tab", { name: "Parameters and results" }).click();
  const params = page.getByRole("region", { name: "Parameters" });
  for (const word of ["name", "Ada", "Grace"])
    await params.getByText(word, { exact: true }).first().waitFor();
  assert.deepEqual(await violations(page), [], "two runs");
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByText("Both ran version 1.").waitFor();
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.context().close();
});

test("a job of another namespace is chosen with its namespace", async () => {
  const page = await pageOf();
  await ask("POST", "/jobs?namespace=books", {
    name: "closing",
    definition: { run: { python: "jobs:daily" } },
  });
  await ask("POST", "/jobs/closing:trigger?namespace=books", {});
  await page.goto(`${server.url}/runs`);
  const rows = page.getByRole("table", { name: "List of runs" }).locator("tbody tr");
  await rows.first().waitFor();
  const field = page.getByLabel("Name of a job");
  await field.pressSequentially("closi", { delay: 60 });
  await page.getByRole("status").getByText("Enter: books / closing").waitFor();
  await field.press("Enter");
  await page.waitForURL(/job=closing.*namespace=books|namespace=books.*job=closing/);
  await rows.filter({ hasNotText: "closing" }).first().waitFor({ state: "detached" });
  assert.equal(await rows.count(), 1);
  assert.equal(await field.inputValue(), "books / closing");
  await drop("closing", "books");
  await field.fill("");
  await page.waitForURL((url) => url.search === "");
  await page.getByLabel("State").selectOption("cancelling");
  await page.waitForURL(/state=CANCELLING/);
  await page.context().close();
});

test("runs are listed by when they were over, and the page says so", async () => {
  const page = await pageOf();
  const { items } = (await ask("GET", "/runs?job=daily&state=SUCCEEDED&limit=1")) as {
    items: { id: string; ended_at: string }[];
  };
  const [run] = items;
  assert.ok(run);
  const endedMs = Math.floor(Date.parse(run.ended_at) / 1000) * 1000;
  const at = (seconds: number) => encodeURIComponent(new Date(endedMs + seconds * 1000).toISOString());
  await page.goto(`${server.url}/runs?job=daily&ended_since=${at(0)}&ended_until=${at(1)}`);
  await page.getByRole("table", { name: "List of runs" }).getByText(run.id).waitFor();
  await page.getByText("Ended:").waitFor();
  await page.goto(`${server.url}/runs?job=daily&ended_until=${encodeURIComponent("2026-01-01T00:00:00Z")}`);
  await page.getByText("No runs match.").waitFor();
  await page.getByRole("button", { name: "Clear 2 filters" }).click();
  await page.waitForURL((url) => url.search === "");
  await page.context().close();
});
