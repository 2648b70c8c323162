/// Markup that somebody stored is text on every page, and the page itself may run and style nothing but its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { asked, Complaints, launched, loggedIn, opened } from "./browser.ts";
import { type About, EXCUSED, FEEDS } from "./feeds.ts";
import { type Document, type Text, textsOf, withText } from "./texts.ts";

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

/** Opens a page, and whatever is on it did nothing. */
async function lookAt(path: string, shown: string): Promise<void> {
  await page.goto(url + path);
  await page.locator(shown).first().waitFor();
  assert.deepEqual(await harm(), { hacked: false, planted: 0, links: 0 }, path);
}

async function harm(): Promise<object> {
  return await page.evaluate(() => ({
    hacked: "hacked" in window,
    planted: document.querySelectorAll(
      "b:empty, iframe, main style, main script, [role=dialog] style, [role=dialog] script, svg[onload], img[src=x]",
    ).length,
    links: document.querySelectorAll('a[href^="javascript:"]').length,
  }));
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
    await lookAt(path, shown);
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

const [SHORT = ""] = CORPUS;
const SESSION = `${process.pid}`.padStart(32, "0");

/** One request of the walk; what is refused is as well as what is kept. Whether it was kept. */
async function feed(text: Text, about: About, nth: number, markup: string, key?: string): Promise<boolean> {
  const { path = {}, body, headers = {} } = FEEDS[text.operation]?.(about, nth) ?? { body: {} };
  const address = text.path.replace(/\{(\w+)\}/g, (_, part) => encodeURIComponent(path[part] ?? ""));
  return await sent(text.method, address, withText(body, text.at, markup, key) as object, headers);
}

async function sent(method: string, address: string, data: object, headers = {}): Promise<boolean> {
  const all = { "X-Foliot-Csrf": "1", ...headers };
  const answer = await page.request.fetch(url + address, { method, headers: all, data });
  const said = `${method} ${address} ${JSON.stringify(data).slice(0, 300)}: ${answer.status()}`;
  assert.ok(answer.ok() || [400, 401, 403, 404, 409, 412, 413, 422].includes(answer.status()), said);
  return answer.ok();
}

/** A worker whose texts are markup, as far as they are taken. */
async function oddWorker(token: string, texts: object): Promise<boolean> {
  const session = `${process.pid}`.padStart(32, "0");
  const hello = {
    session,
    name: `odd-worker-${process.pid}`,
    group: "odd",
    slots: 1,
    handlers: [],
    ...texts,
  };
  const answer = await ofWorker("register", token, hello);
  assert.ok([200, 400, 422].includes(answer.status), await answer.text());
  return answer.ok;
}

async function ofWorker(verb: string, token: string, said: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return await fetch(`${url}/api/worker/v1/${verb}`, { method: "POST", headers, body: JSON.stringify(said) });
}

test("each text that the API takes is fed with markup, or says why not, and is text on each page", async () => {
  const job = `fed-${process.pid}`;
  const [run, schedule, alert] = [{ python: "jobs:markup" }, { cron: "0 2 * * *" }, { failed: true }];
  await ask("POST", "/api/v1/jobs", { name: job, definition: { run, schedule, alert } });
  await ask("PUT", `/api/v1/checks/${job}-check`, { check: { every: "1d" } });
  await ask("PUT", `/api/v1/rules/${job}-rule`, { rule: { when: "failed", of: { job } } });
  await ask("POST", "/api/v1/tokens", { name: `${job}-token`, scopes: ["read"] });
  const { token = "" } = await ask("POST", "/api/v1/tokens", {
    name: `${job}-worker`,
    scopes: ["worker"],
  });
  const over = await ask("POST", `/api/v1/jobs/${job}:trigger`, {});
  const live = await ask("POST", "/api/v1/jobs/endless:trigger", { params: { name: job }, reason: ALL });
  const marked = await ask("POST", "/api/v1/jobs/marked:trigger", { params: { text: SHORT }, reason: ALL });
  const odd = {
    name: SHORT,
    group: SHORT,
    labels: { zone: SHORT, [SHORT]: "zone" },
    handlers: [{ name: SHORT }],
    host: SHORT,
    version: SHORT.slice(0, 50),
  };
  const taken: Record<string, unknown> = {}; // what is refused counts as fed
  for (const [part, text] of Object.entries(odd)) {
    if (await oddWorker(token, { ...taken, [part]: text })) taken[part] = text;
  }
  const node = typeof taken.name === "string" ? taken.name : `odd-worker-${process.pid}`;
  const about: About = {
    ...{ job, node, check: `${job}-check`, rule: `${job}-rule` },
    ...{ run: over.id ?? "", live: live.id ?? "", alert: await alertOf(job) },
  };

  const document = (await ask("GET", "/api/v1/openapi.json")) as unknown as Document;
  const texts = textsOf(document);
  const unused = new Set([...Object.keys(FEEDS), ...EXCUSED.map(([operation]) => operation)]);
  const forgotten: string[] = [];
  for (const [nth, text] of texts.entries()) {
    const { operation, at } = text;
    unused.delete(operation);
    if (EXCUSED.some(([of, where]) => of === operation && where.test(at.join(".")))) continue;
    if (!(operation in FEEDS)) forgotten.push(`${operation} ${at.join(".")}`);
    // The whole corpus, where it is not too long; as a key, too, where users choose keys.
    else if (!(await feed(text, about, 2 * nth, ALL))) await feed(text, about, 2 * nth + 1, SHORT);
    if (at.includes("*")) await feed(text, about, 2 * nth, "odd", SHORT);
  }
  assert.deepEqual(forgotten, [], "each is fed in feeds.ts, or excused there with a reason");
  assert.deepEqual([...unused], [], "what no operation takes any more is on no list");
  for (const [path, data] of [
    ["calendars", { calendar: { country: "CN" } }],
    ["views", { path: "/jobs" }],
    ["cluster/limits", { max: 4 }],
    ["limits", { max: 4 }],
    ["cluster/limits/group", { max: 4 }],
    ["channels", { channel: { kind: "dingtalk", settings: { webhook: ["${", "secret:DING}"].join("") } } }],
    ["jobs", { definition: { run: { python: "jobs:markup" } } }],
  ] as const) {
    await sent("PUT", `/api/v1/${path}/${encodeURIComponent(SHORT)}`, data, { "If-None-Match": "*" });
  }
  const past = { job, from: "2026-08-01T00:00:00Z", to: "2026-08-02T00:00:00Z", reason: ALL };
  const seen = await ask("POST", "/api/v1/backfills:preview", past);
  await sent("POST", "/api/v1/backfills", { ...past, token: seen.token });

  await ask("POST", "/api/v1/cluster:maintenance", { on: true, reason: ALL });
  await lookAt("/", ".why, .notice, #needs");
  await ask("POST", "/api/v1/cluster:maintenance", { on: false, reason: ALL });
  for (const [path, shown] of [
    ["/nodes", "tbody tr"],
    [`/nodes?node=${encodeURIComponent(node)}`, "tr.inner"],
    ["/nodes?tab=drills", "main"],
    ["/nodes?tab=policy", "main .part, main table, main ul"],
    ["/nodes?tab=failovers", "main"],
    ["/locks", "main .lines li, main .empty, main tbody tr"],
    ["/limits", "tbody tr"],
    ["/calendars", ".lines li"],
    [`/calendars?name=${encodeURIComponent(SHORT)}`, "main"],
    ["/backfills", ".lines li"],
    ["/tokens", "tbody tr, .lines li"],
    ["/alerts?tab=channels", "main .lines li, main tbody tr"],
    ["/alerts?tab=silences", "tbody tr"],
    ["/checks", "tbody tr"],
    ["/events", ".lines li"],
    ["/events?topic=nodes", ".lines li"],
    ["/events?tab=skips", "main"],
    [`/jobs?q=${job}`, "tbody tr"],
    [`/runs?job=${job}`, "tbody tr"],
    [`/runs/${live.id}`, ".title"],
    [`/runs/${marked.id}?tab=data`, ".command pre"],
    [`/runs/compare?one=${over.id}&other=${marked.id}`, "main table"],
    [`/jobs/default/${job}?tab=versions`, ".lines li"],
  ] as const) {
    await lookAt(path, shown);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("onerror");
  await page.getByRole("dialog").getByRole("option").first().waitFor();
  assert.deepEqual(await harm(), { hacked: false, planted: 0, links: 0 }, "Ctrl-K");

  await ofWorker("leave", token, { session: SESSION });
  await cleared(job);
});

/** Takes away what was made under names that begin so: other walks see none of it. */
async function cleared(prefix: string): Promise<void> {
  const items = async <T>(list: string) => (await ask("GET", `/api/v1/${list}`)).items as unknown as T[];
  const jobs = (await items<{ name: string }>(`jobs?q=${prefix}&limit=200`)).map(({ name }) => ({ name }));
  await ask("POST", "/api/v1/jobs:delete", { jobs, expected: jobs.length, reason: ALL });
  for (const list of ["rules", "channels", "checks", "calendars", "report-schedules", "tokens"]) {
    for (const { name } of await items<{ name: string }>(list)) {
      if (name.startsWith(prefix)) await sent("DELETE", `/api/v1/${list}/${encodeURIComponent(name)}`, {});
    }
  }
  for (const { id, of } of await items<{ id: number; of: { job?: string } }>("silences")) {
    if (of.job?.startsWith(prefix)) await sent("DELETE", `/api/v1/silences/${id}`, {});
  }
  await sent("PUT", "/api/v1/cluster/policy/worker_crash", { channel: "" });
  await sent("DELETE", `/api/v1/cluster/limits/${prefix}-limit`, {});
  await sent("DELETE", `/api/v1/cluster/limits/group/${prefix}-group`, {});
}

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
