/// Nodes, locks, and figures of how runs went.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations, widthAt } from "./looking.ts";
import { pageOf, server } from "./window.ts";

test("a lock is taken away by writing its name, and the next in line gets it", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/locks`);
  const table = page.getByRole("table", { name: "List of locks" });
  await table.getByText("waits, place 1").waitFor();
  const dialog = page.getByRole("dialog");
  await table.getByRole("link", { name: "acct:42" }).click();
  await page.waitForURL(`${server.url}/locks?name=acct%3A42`);
  await dialog.getByRole("listitem").filter({ hasText: "place 1, waits for" }).waitFor();
  await dialog.getByText("None is in the journal.").waitFor();
  assert.deepEqual(await violations(page), [], "a lock");
  await page.keyboard.press("Escape");
  await page.waitForURL(`${server.url}/locks`);
  await table.getByRole("button", { name: "Take away" }).click();
  assert.equal(await dialog.getByRole("button", { name: "Take away" }).isDisabled(), true);
  await dialog.getByLabel("Write acct:42 to confirm").fill("acct:42");
  await dialog.getByRole("button", { name: "Take away" }).click();
  await page.locator(".toast").getByText("acct:42 was taken from").waitFor();
  await table.getByText("waits, place 1").waitFor({ state: "detached" });
  await page.goto(`${server.url}/events?subject=acct%3A42`);
  await page.getByText("lock taken away").waitFor();
  await page.context().close();
});

test("a limit says who holds it and who waits, and one of the whole cluster is set and taken away", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/limits`);
  const table = page.getByRole("table", { name: "List of limits" });
  await table.getByRole("link", { name: "ledger-db" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("1 run waits for it").waitFor();
  assert.equal(
    await drawer.getByRole("link", { name: "posting" }).count(),
    3,
    "holder, oldest, job that counts",
  );
  assert.match(page.url(), /name=ledger-db/, "a limit has an address");
  assert.deepEqual(await violations(page), [], "a limit");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New limit" }).click();
  await drawer.getByRole("textbox", { name: "Limit" }).fill("mail gateway");
  await drawer.getByLabel("At most").fill("4");
  await drawer.getByRole("button", { name: "Save" }).click();
  await drawer.getByText("FOL-1").waitFor(); // a name has no blanks: the form keeps what was written
  await drawer.getByRole("textbox", { name: "Limit" }).fill("mail-gateway");
  await drawer.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("mail-gateway is set to 4.").waitFor();
  await page.getByRole("button", { name: "Take away mail-gateway" }).click();
  await drawer.getByRole("button", { name: "Take away" }).click();
  await table.getByText("mail-gateway").waitFor({ state: "detached" });
  await page.context().close();
});

test("nodes are filtered by a label, which stands in the address and leads there from the details of a node", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const workers = page.getByRole("table", { name: "Workers" });
  await workers.getByText("w-a", { exact: true }).waitFor();
  assert.ok((await workers.locator("tbody tr").count()) > 1);
  await page.keyboard.press("/");
  await page.keyboard.insertText("zone=cn-east");
  await page.waitForURL(/label=zone%3Dcn-east/);
  await page.getByRole("region", { name: "Servers" }).getByText("No node matches.").waitFor();
  assert.equal(await workers.locator("tbody tr").count(), 1);
  assert.deepEqual(await violations(page), [], "nodes with a label");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.reload();
  await workers.getByText("w-a", { exact: true }).waitFor();
  assert.equal(await workers.locator("tbody tr").count(), 1);
  await page.locator("[data-filter]").fill("zone=cn-west");
  await page.getByRole("region", { name: "Workers" }).getByText("No node matches.").waitFor();
  await page.locator("[data-filter]").fill("");
  await page.waitForURL(`${server.url}/nodes`);
  await workers.getByRole("button", { name: "Details of w-a" }).click();
  await workers.getByRole("link", { name: "zone=cn-east" }).click();
  await page.waitForURL(/label=zone%3Dcn-east/);
  await page.context().close();
});

test("a link opens one node, a piece of its name finds it, and the search drains it after a dialog", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const workers = page.getByRole("table", { name: "Workers" });
  const live = workers.getByRole("row").filter({ hasText: "online" }).first().locator("a.name");
  const name = (await live.textContent()) ?? "";
  const address = server.url + (await live.getAttribute("href"));
  await page.goto(address);
  await workers.getByRole("list", { name: "How far it came" }).waitFor();
  const opened = page.locator('[aria-expanded="true"][aria-label^="Details"]');
  assert.equal(await opened.count(), 1);
  await opened.click();
  await page.waitForURL(`${server.url}/nodes`);
  await page.locator("[data-filter]").fill(name.slice(1));
  await page.waitForURL(/label=/);
  await live.waitFor();
  await page.locator("[data-filter]").fill("no such");
  await page.getByRole("region", { name: "Workers" }).getByText("No node matches.").waitFor();
  await page.goto(`${server.url}/nodes?node=w-never`);
  await page.getByText("No node is called w-never.").waitFor();
  const find = async (text: string, option: string) => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByLabel("Search jobs, runs, nodes and pages").fill(text);
    await page.getByRole("option", { name: option }).first().waitFor();
    await page.keyboard.press("Enter");
  };
  await find(name, `node ${name}`);
  await page.waitForURL(`${server.url}/nodes?node=${name}`);
  await opened.waitFor();
  for (const [text, option, title] of [
    [`drain ${name}`, `do Drain ${name}`, `Drain ${name}?`],
    ["pause daily", "do Pause daily", "Pause daily?"],
    ["trigger slow", "do Trigger slow", "Trigger slow"],
  ] as const) {
    await find(text, option);
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByRole("button", { name: "Close" }).first().click();
    await dialog.waitFor({ state: "detached" });
  }
  await page.context().close();
});

test("maintenance begins and ends with a reason, and the last active server is not made a standby", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Begin maintenance" }).click();
  await dialog.getByLabel("For", { exact: true }).fill("10m");
  await dialog.getByLabel("Reason").fill("kernel");
  assert.deepEqual(await violations(page), [], "the dialog of a maintenance");
  await dialog.getByRole("button", { name: "Begin maintenance" }).click();
  await page.locator(".problem").getByText("kernel").waitFor();
  await page.getByRole("button", { name: "End maintenance" }).click();
  await dialog.getByRole("button", { name: "End maintenance" }).click();
  await page.getByRole("button", { name: "Begin maintenance" }).waitFor();
  const servers = page.getByRole("table", { name: "Servers" });
  await servers.getByRole("button", { name: /^Details of/ }).click();
  await servers.getByRole("button", { name: "Make standby" }).click();
  await dialog.getByRole("button", { name: "Make standby" }).click();
  await dialog.getByRole("alert").getByText("FOL-").waitFor();
  await page.context().close();
});

test("a node tells its load and its life, the checks are made again, and a dead worker is found among failovers", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/nodes`);
  const workers = page.getByRole("table", { name: "Workers" });
  const live = workers.getByRole("row").filter({ hasText: "online" }).first();
  await live.getByRole("meter", { name: "CPU" }).waitFor();
  await live.getByRole("button", { name: /^Details of/ }).click();
  await workers.getByRole("list", { name: "How far it came" }).getByText("ready").waitFor();
  await workers.getByText("Threads").waitFor();
  await page.getByRole("img", { name: /^Leaders of the last 24 hours/ }).waitFor();
  await page.getByRole("tab", { name: "Health" }).click();
  await page.getByRole("heading", { name: "Database" }).waitFor();
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByRole("tab", { name: "Failovers" }).click();
  await page.getByLabel("Type").selectOption("worker_crash");
  const crash = page.getByRole("row").filter({ hasText: "w-a" });
  await crash.getByRole("link").first().click({ timeout: 60_000 }); // it is dead when its session is over
  const drawer = page.getByRole("dialog");
  await drawer.getByText(/^no beat for/).waitFor();
  assert.match(page.url(), /id=\d+/, "a failover has an address");
  await page.goto(`${server.url}/nodes`);
  const failures = page.getByRole("list", { name: "Failures of the last 24 hours" });
  await failures.getByRole("link", { name: "Worker crash" }).first().waitFor();
  assert.deepEqual(await violations(page), [], "failures on the line of terms");
  await failures.getByRole("link", { name: "Worker crash" }).first().click();
  await page.waitForURL(/tab=failovers.*id=\d+/);
  await drawer.getByText(/^no beat for/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Policy" }).click();
  await page.getByRole("button", { name: "Edit Worker crash" }).click();
  await drawer.getByLabel("Needs a person after").fill("1s");
  await drawer.getByRole("button", { name: "Save" }).click();
  await drawer.getByText("FOL-1176").waitFor();
  await drawer.getByLabel("Needs a person after").fill("2m");
  await drawer.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("The policy is saved: Worker crash.").waitFor();
  await page.context().close();
});

test("a job and a node tell how their runs went, in a range that stands in the address", async () => {
  const page = await pageOf();
  await page.goto(`${server.url}/jobs/default/tick?tab=stats`);
  await page.getByRole("img", { name: "Runs that ended, per hour" }).waitFor({ timeout: 60_000 }); // they are counted
  await page.getByLabel("Range").selectOption({ label: "Last hour" });
  await page.waitForURL(/span=1h/);
  await page.getByRole("img", { name: "Runs that ended, per minute" }).waitFor();
  await page.getByRole("img", { name: /^Queue delay/ }).waitFor();
  const bars = await page.getByRole("img", { name: "Runs that ended, per minute" }).boundingBox();
  assert.ok(bars);
  await page.mouse.move(bars.x + bars.width * 0.5, bars.y + 20);
  await page.mouse.down();
  await page.mouse.move(bars.x + bars.width * 0.995, bars.y + 30, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  await page.getByText(/^from .* to /).waitFor();
  await page.locator(".scatter a").first().waitFor();
  await page.getByRole("button", { name: "Back to the whole range" }).click();
  await page.waitForURL((url) => !url.search.includes("from="));
  await page.getByRole("table", { name: "On each node" }).getByText("100 %").waitFor();
  await page.getByText("The figures of the charts as a table").click();
  assert.deepEqual(await violations(page), [], "figures as a table");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page
    .getByRole("table", { name: /^The figures/ })
    .getByRole("link")
    .first()
    .click();
  await page.waitForURL(/tab=day/);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${server.url}/nodes`);
  const live = page
    .getByRole("table", { name: "Workers" })
    .getByRole("row")
    .filter({ hasText: "online", hasNotText: "w-a" });
  await live
    .first()
    .getByRole("button", { name: /^Details of/ })
    .click();
  const unplaced = page.getByRole("region", { name: "Runs that no worker takes" });
  await unplaced.getByRole("link", { name: "unplaced" }).waitFor({ timeout: 180_000 }); // it is told after a minute
  await unplaced.getByText("far:unplaced").first().waitFor();
  const figures = page.getByRole("region", { name: /^Statistics of/ });
  await figures.getByText("queue delay p99").waitFor();
  await figures.getByRole("img", { name: "Duration" }).waitFor();
  assert.deepEqual(await violations(page), [], "a node with its figures");
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.context().close();
});
