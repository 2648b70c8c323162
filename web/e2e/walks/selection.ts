/// Rows are chosen in the lists of jobs and runs, by keys and by the mouse, and something is done with them together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations, widthAt } from "./looking.ts";
import { ask, drop, pageOf, server } from "./window.ts";

test("jobs are chosen by keys, paused together, and all that match instead; another filter begins anew", async () => {
  const page = await pageOf();
  for (const name of ["pick_a", "pick_b", "pick_c"]) {
    const definition = { run: { python: "far:pick" }, schedule: { cron: "0 3 * * *" }, group: "picks" };
    await ask("POST", "/jobs", { name, definition });
  }
  await page.goto(`${server.url}/jobs?group=picks`);
  const table = page.getByRole("table", { name: "List of jobs" });
  await table.getByRole("link", { name: "pick_c" }).waitFor();
  const bar = page.getByRole("group", { name: "What is chosen" });
  for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
  await bar.getByText("2 chosen").waitFor();
  assert.equal(await table.getByRole("checkbox", { name: "Choose pick_b" }).isChecked(), true);
  assert.deepEqual(await violations(page), [], "a list with rows that are chosen");
  await page.keyboard.press("p");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Pause these 2 jobs" }).click();
  await page.locator(".toast").getByText("Paused: 2.").waitFor();
  await bar.waitFor({ state: "detached" });
  const { items } = (await ask("GET", "/jobs?group=picks&state=paused")) as { items: { name: string }[] };
  assert.deepEqual(items.map((job) => job.name).sort(), ["pick_a", "pick_b"]);
  await table.getByRole("checkbox", { name: "Choose pick_c" }).check();
  await ask("POST", "/jobs/pick_c:pause", {});
  await table
    .getByRole("row", { name: /pick_c/ })
    .getByText("paused")
    .waitFor();
  await bar.getByText("1 chosen").waitFor(); // its row changed, and stays chosen
  await bar.getByRole("button", { name: "All that match" }).click();
  await bar.getByText("All 3 matching").waitFor();
  await bar.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume these 3 jobs" }).click();
  await page.locator(".toast").getByText("Resumed: 3.").waitFor();
  await table.getByRole("checkbox", { name: "Choose all in sight" }).and(page.locator(":focus")).waitFor();
  await table.getByRole("checkbox", { name: "Choose all in sight" }).check();
  await bar.getByText("3 chosen").waitFor();
  await page.getByLabel("State", { exact: true }).selectOption("active");
  await bar.waitFor({ state: "detached" });
  const box = (name: string) => table.getByRole("checkbox", { name });
  await box("Choose pick_a").check();
  await bar.getByRole("button", { name: "All that match" }).click();
  await bar.getByText("All 3 matching").waitFor();
  await page.getByLabel("State", { exact: true }).selectOption("");
  await bar.waitFor({ state: "detached" });
  await box("Choose pick_a").check();
  await bar.getByText("1 chosen").waitFor(); // all of the other filter is not all of this one
  await box("Choose pick_b").check();
  await bar.getByRole("button", { name: "All that match" }).click();
  await bar.getByText("All 3 matching").waitFor();
  await box("Choose pick_b").uncheck();
  await bar.getByText("1 chosen").waitFor();
  await page.getByLabel("Name, description or owner").press("Escape"); // it leaves the field alone
  await bar.getByText("1 chosen").waitFor();
  await bar.getByRole("button", { name: "Choose none" }).click();
  await bar.waitFor({ state: "detached" });
  await box("Choose all in sight").and(page.locator(":focus")).waitFor();
  await box("Choose pick_a").check();
  assert.ok((await widthAt(page, 360)) <= 360);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  for (const name of ["pick_a", "pick_b", "pick_c"]) await drop(name);
  await page.context().close();
});

test("runs are chosen and cancelled, exactly these; the box tells that some are chosen", async () => {
  const page = await pageOf();
  const definition = { run: { python: "far:picky" }, overlap: "allow" };
  await ask("POST", "/jobs", { name: "picky", definition });
  const made: string[] = [];
  for (const _ of [1, 2, 3]) made.push((await ask("POST", "/jobs/picky:trigger", {})).id as string);
  await page.goto(`${server.url}/runs?job=picky`);
  const box = (run: string) => page.getByRole("checkbox", { name: `Choose ${run}` });
  await box(made[0] ?? "").check();
  await box(made[2] ?? "").check();
  const bar = page.getByRole("group", { name: "What is chosen" });
  await bar.getByText("2 chosen").waitFor();
  assert.equal(await bar.getByRole("button", { name: "Retry" }).isDisabled(), true);
  assert.deepEqual(await violations(page), [], "a list of runs, some of them chosen");
  await bar.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel these 2" }).click();
  await page.locator(".toast").getByText("2 runs.").waitFor();
  const states = await Promise.all(made.map(async (run) => (await ask("GET", `/runs/${run}`)).state));
  assert.deepEqual(states, ["CANCELLED", "PENDING", "CANCELLED"]);
  await ask("POST", `/runs/${made[1]}:cancel`, {});
  await drop("picky");
  await page.context().close();
});
