/// Markup that somebody stored is text on every page, and the page itself may run and style nothing but its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { asked, Complaints, launched, loggedIn, opened } from "./browser.ts";

const { url } = asked();
const complaints = new Complaints();
/** Each would do something where it were taken as markup: out of an attribute, a tag, a script, an address. */
const CORPUS = [
  '<img src=x onerror="window.hacked=1">',
  '"><svg onload=window.hacked=1>',
  "</script><script>window.hacked=1</script>",
  "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
  "javascript:window.hacked=1",
  "{{constructor.constructor('window.hacked=1')()}}",
  "<style>*{display:none}</style>",
];
const ALL = CORPUS.join(" ");
let browser: Browser;
let page: Page;

before(async () => {
  browser = await launched();
  const context = await opened(browser, { state: await loggedIn(browser, url) });
  page = await context.newPage();
  complaints.watch(page, url);
});
after(async () => {
  await browser.close();
});

async function ask(method: string, path: string, data?: object): Promise<Record<string, string>> {
  const headers = { "X-Foliot-Csrf": "1", ...(method === "PUT" && { "If-None-Match": "*" }) };
  const answer = await page.request.fetch(url + path, { method, headers, ...(data && { data }) });
  assert.ok(answer.ok(), `${path}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** The alert of a job or a check, when it fires. */
async function alertOf(subject: string): Promise<number> {
  for (;;) {
    const { items } = (await ask("GET", "/api/v1/alerts?state=firing")) as unknown as {
      items: { id: number; subjects: { subject: string }[] }[];
    };
    const found = items.find((alert) => alert.subjects[0]?.subject === subject);
    if (found) return found.id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("stored markup is text in every field that takes it", async () => {
  const name = `odd-${process.pid}`;
  const job = `/api/v1/jobs/${name}`;
  const about = { description: ALL, owner: "<i>owner</i>" };
  const definition = { run: { python: "jobs:markup" }, schedule: { cron: "0 2 * * *" }, ...about };
  await assert.rejects(ask("POST", "/api/v1/jobs", { name: "<b>", definition }), /FOL-1056/); // names are no markup
  await ask("POST", "/api/v1/jobs", { name, reason: ALL, definition });
  const [check, rule] = [`odd-check-${process.pid}`, `odd-rule-${process.pid}`];
  for (const path of ["checks", "rules", "report-schedules"]) {
    const named = ask("PUT", `/api/v1/${path}/${encodeURIComponent("<b>")}`, {
      check: { every: "1d" },
      rule: { when: "failed" },
      schedule: { to: ["oncall"] },
    });
    await assert.rejects(named, /FOL-1/, path);
  }
  const watched = { every: "1d", description: ALL, owner: "<i>owner</i>", runbook: ALL };
  await ask("PUT", `/api/v1/checks/${check}`, { check: watched, reason: ALL });
  await ask("POST", `/api/v1/checks/${check}:ping?kind=fail`, { text: ALL });
  await ask("PUT", `/api/v1/rules/${rule}`, {
    rule: { when: "failed", of: { job: name }, runbook: ALL },
    reason: ALL,
  });
  const run = await ask("POST", `${job}:trigger`, { params: { text: ALL }, reason: ALL });
  await ask("POST", `${job}:pause`, { reason: ALL });
  await ask("POST", "/api/v1/silences", { of: { job: name }, for: "1h", reason: ALL });
  const [ofJob, ofCheck] = [await alertOf(name), await alertOf(check)];
  await ask("POST", `/api/v1/alerts/${ofJob}:ack`, { note: ALL });
  for (const [path, shown] of [
    ["/", "#changes"],
    ["/alerts", ".alertline"],
    [`/alerts?id=${ofJob}`, "[role=dialog] #life"],
    [`/alerts/${ofCheck}`, "[role=dialog] #life"],
    ["/alerts?tab=rules", "tbody tr"],
    [`/checks?q=${check}`, "tbody tr"],
    [`/checks?name=${check}`, "[role=dialog] #pings ~ div li"],
    [`/reports?date=${new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10)}`, "#alerts"],
    [`/jobs?q=odd-`, "tbody tr"],
    [`/jobs/default/${name}`, ".why"],
    [`/jobs/default/${name}?tab=versions`, ".lines li"],
    [`/jobs/default/${name}?tab=definition`, ".command pre"],
    [`/jobs/default/${name}/edit`, "[role=status] table"],
    [`/runs?job=${name}`, "tbody tr"],
    [`/runs/${run.id}`, ".log .line"],
    [`/runs/${run.id}?tab=data`, ".command pre"],
    [`/runs/${run.id}?tab=attempts`, ".lines li"],
    [`/runs/${run.id}?tab=timeline`, ".lines li"],
    [`/events?subject=${name}`, ".lines li"],
    ["/alerts?tab=silences", "tbody tr"],
  ] as const) {
    await page.goto(url + path);
    await page.locator(shown).first().waitFor();
    const found = await page.evaluate(() => ({
      hacked: "hacked" in window,
      planted: document.querySelectorAll(
        "b:empty, iframe, main style, main script, [role=dialog] style, [role=dialog] script, svg[onload], img[src=x]",
      ).length,
      links: document.querySelectorAll('a[href^="javascript:"]').length,
    }));
    assert.deepEqual(found, { hacked: false, planted: 0, links: 0 }, path);
  }
  await page.goto(`${url}/jobs/default/${name}`);
  for (const text of CORPUS) await page.locator("main p", { hasText: text }).first().waitFor();
  await page.goto(`${url}/alerts?id=${ofJob}`);
  const whole = page.getByRole("dialog");
  for (const text of CORPUS) {
    await whole.locator(".why p", { hasText: text }).first().waitFor(); // the runbook
    await whole.locator("dd", { hasText: text }).first().waitFor(); // the note
  }
});

test("the page runs no script but its files, and takes no style without its nonce", async () => {
  const answers = [await page.request.get(`${url}/jobs`), await page.request.get(`${url}/jobs`)];
  const policies = answers.map((answer) => answer.headers()["content-security-policy"] ?? "");
  for (const policy of policies) {
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
  }
  assert.notEqual(policies[0], policies[1], "the nonce is another each time");
  const text = (await answers[0]?.text()) ?? "";
  assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|\son\w+=|style=/, "nothing stands in the page itself");
  await page.goto(`${url}/jobs`);
  const did = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = 1";
    const style = document.createElement("style");
    style.textContent = "body { outline: 7px solid red }";
    document.head.append(script, style);
    document.body.insertAdjacentHTML(
      "beforeend",
      '<img src="data:," onerror="window.ran = 1" style="width: 77px">',
    );
    return { ran: "ran" in window, styled: getComputedStyle(document.body).outlineWidth === "7px" };
  });
  assert.deepEqual(did, { ran: false, styled: false });
  assert.ok(complaints.found.length > 0, "the browser says what it refused");
  assert.ok(complaints.found.every((said) => said.includes("Content Security Policy")));
});
