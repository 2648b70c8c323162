/// Alerts: what fires is seen, silenced, looked after and over; rules, channels and silences behind it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { countPresses, pressesOf } from "../browser.ts";
import { ask, pageOf, server } from "./window.ts";

const ROBOT = `robot-${process.pid}`;
const RULE = `charges-${process.pid}`;

const dialog = (page: Page): Locator => page.getByRole("dialog");
const fires = (page: Page): Locator => page.locator(".alertline", { hasText: "charge" });

async function at(path: string): Promise<Page> {
  const page = await pageOf();
  await countPresses(page);
  await page.goto(server.url + path);
  await page.locator('.chip[data-is="live"]').waitFor();
  return page;
}

// Walks that are walked again find the alert as the first ones did: firing, and told of.
before(async () => {
  const isFiring = async () => {
    const { items } = (await ask("GET", "/alerts?job=charge&state=firing")) as {
      items: { silence: unknown }[];
    };
    return items.some((alert) => alert.silence === null);
  };
  if (await isFiring()) return;
  const { items } = (await ask("GET", "/alerts?job=charge")) as { items: { id: number }[] };
  for (const { id } of items) await ask("POST", `/alerts/${id}:resolve`);
  await ask("POST", "/jobs/charge:trigger");
  while (!(await isFiring())) await new Promise((resolve) => setTimeout(resolve, 100));
});

test("an alert leads to the failing line of the log: one press, from the overview and from the list", async () => {
  const page = await at("/");
  await page.locator("#needs ~ ul .alertline").getByText("charge failed").first().waitFor();
  for (const path of ["/", "/alerts"]) {
    await page.goto(server.url + path);
    await fires(page).getByRole("link", { name: "Log" }).click();
    await page.getByRole("log").getByText("the card gateway answers no more").waitFor();
    assert.equal(await pressesOf(page), 1);
  }
  await page.context().close();
});

test("the rail counts what fires, and g a leads there", async () => {
  const page = await at("/jobs");
  const count = page.getByRole("link", { name: "Alerts" }).locator(".count");
  await count.waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.waitForURL(/\/alerts$/);
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByLabel("Search jobs, runs, nodes and pages").fill("Channels");
  await page
    .getByRole("option", { name: /Channels/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/tab=channels/);
  await page.context().close();
});

test("one press silences for two hours, another browser sees it, and it can be taken back", async () => {
  const page = await at("/");
  const other = await at("/alerts");
  await fires(page).getByRole("button", { name: "Silence 2 h" }).click();
  await page.locator(".toast").getByText("Silent for 2 hours.").waitFor();
  assert.equal(await pressesOf(page), 1);
  await other
    .getByRole("region", { name: /^Silent/ })
    .locator(".alertline", { hasText: "charge" })
    .waitFor();
  await page.locator(".alertline.gone", { hasText: "charge" }).waitFor(); // the list does not move below the pointer
  await page.mouse.move(0, 0);
  await fires(page).waitFor({ state: "detached" });
  await other.getByRole("tab", { name: "Silences" }).click();
  await other.locator("tbody tr", { hasText: "silenced in the console" }).first().waitFor();
  const away = { detail: "The silence is away.", hint: "Come again.", code: "FOL-9999" };
  await page.route("**/api/v1/silences/*", (route) => route.fulfill({ status: 422, json: away }));
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  const problem = page.locator(".toast.bad");
  for (const text of Object.values(away)) await problem.getByText(text).waitFor();
  await page.unroute("**/api/v1/silences/*");
  await problem.getByRole("button", { name: "Undo" }).click();
  await fires(page).waitFor();
  await page.context().close();
  await other.context().close();
});

test("a DingTalk channel is one form with a test: the message arrives", async () => {
  const page = await at("/alerts?tab=channels");
  await page
    .locator(".empty", { hasText: "No channel yet: alerts stay here only." })
    .or(page.locator("tbody tr"))
    .first()
    .waitFor();
  await page.getByRole("button", { name: "New channel" }).click();
  await dialog(page).getByLabel("Kind").selectOption({ label: "DingTalk" });
  await dialog(page).getByRole("textbox", { name: "Name" }).fill(ROBOT);
  await dialog(page).getByRole("textbox", { name: "Address of the robot" }).fill("DING");
  await dialog(page).getByText("[secrets.DING]").waitFor();
  await dialog(page).getByRole("button", { name: "Save and test" }).click();
  await dialog(page).getByText("The test message arrived.").waitFor();
  assert.equal(await pressesOf(page), 2);
  await dialog(page).getByRole("button", { name: "Preview" }).click();
  await dialog(page).getByText("The same as a request").click(); // it is there by now, and changed
  await dialog(page).getByText(`"kind":"dingtalk"`).waitFor();
  for (const language of ["en", "zh"]) await dialog(page).locator(`section[lang=${language}]`).waitFor();
  // What the server does not have is named, and the form stays.
  await dialog(page).getByRole("textbox", { name: "Address of the robot" }).fill("NOWHERE");
  await dialog(page).getByRole("button", { name: "Save and test" }).click();
  await dialog(page).getByText("does not have NOWHERE").first().waitFor();
  await dialog(page).getByRole("textbox", { name: "Address of the robot" }).fill("DING");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page
    .getByRole("row", { name: new RegExp(ROBOT) })
    .getByText("DingTalk")
    .waitFor();
  await page.context().close();
});

test("a rule is made, tried against a run, and changed; those that come with Foliot are there", async () => {
  const page = await at("/alerts?tab=rules");
  await page
    .getByRole("row", { name: /node-dead/ })
    .getByText("built in")
    .waitFor();
  const { items } = (await ask("GET", "/runs?job=charge&limit=1")) as { items: { id: string }[] };
  await page.getByRole("button", { name: "New rule" }).click();
  await dialog(page).getByRole("textbox", { name: "Name" }).fill(RULE);
  await dialog(page).getByRole("textbox", { name: "When" }).fill("failed");
  await dialog(page).getByRole("textbox", { name: "Job" }).fill("charge*");
  await dialog(page).getByLabel(ROBOT).check();
  await dialog(page).getByText("The same as a command").click();
  const set = `foliot alert rule set ${RULE} --when failed --of 'job=charge*' --to ${ROBOT}`;
  await dialog(page).getByText(set).waitFor();
  await dialog(page)
    .getByRole("textbox", { name: "Run to try it against" })
    .fill(items[0]?.id ?? "");
  await dialog(page).getByRole("button", { name: "Try", exact: true }).click();
  await dialog(page).getByText("It would fire.").waitFor();
  await dialog(page).getByRole("button", { name: "Preview" }).click();
  await dialog(page).getByRole("heading", { name: "Chinese" }).first().waitFor();
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  const row = page.getByRole("row", { name: new RegExp(RULE) });
  await row.getByText(ROBOT).first().waitFor();
  await row.getByRole("button", { name: /^Edit/ }).click();
  await dialog(page).getByLabel("Level").selectOption("critical");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await row.getByText("critical").first().waitFor();
  await row.getByRole("button", { name: /^Take away/ }).click();
  await dialog(page).getByRole("button", { name: "Take away" }).click();
  await row.waitFor({ state: "detached" });
  await page.context().close();
});

test("a silence of jobs is made with a reason, and ended", async () => {
  const page = await at("/alerts?tab=silences");
  await page.getByRole("button", { name: "New silence" }).click();
  await dialog(page).getByRole("textbox", { name: "Job" }).fill("etl_*");
  await dialog(page).getByLabel("For", { exact: true }).selectOption("8h");
  await dialog(page).getByRole("textbox", { name: "Reason" }).fill("the warehouse moves");
  await dialog(page).getByRole("button", { name: "Silence", exact: true }).click();
  const row = page.getByRole("row", { name: /the warehouse moves/ });
  await row.getByText("etl_*").waitFor();
  await row.getByRole("button", { name: /^End/ }).click();
  await dialog(page).getByRole("button", { name: "End" }).click();
  await row.waitFor({ state: "detached" });
  await page.context().close();
});

test("the whole of an alert: what it touches, its life, a note, its end, and the job's own page", async () => {
  const page = await at("/alerts");
  await fires(page).locator("a.name").click();
  const whole = dialog(page);
  for (const word of ["What it touches", "Timeline", "it fires"])
    await whole.getByText(word).first().waitFor();
  await whole.getByText("pay.example.org refused the connection").first().waitFor();
  await whole.getByRole("button", { name: "Acknowledge with a note" }).click();
  await dialog(page).getByLabel("Note for the others").fill("I call the bank");
  await dialog(page).last().getByRole("button", { name: "Acknowledge", exact: true }).click();
  await whole.getByText("I call the bank").first().waitFor();
  await whole.getByRole("button", { name: "Close" }).click();
  await page
    .getByRole("region", { name: /^Somebody looks after it/ })
    .locator(".alertline")
    .waitFor();
  await page.goto(`${server.url}/jobs/default/charge?tab=alerts`);
  await fires(page).getByText("acknowledged").waitFor();
  await page.getByText("Its definition alerts when:").waitFor();
  await page.context().close();
});
