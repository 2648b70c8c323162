/// The browser of the walks: Debian's Chromium, and a page that notes everything that goes wrong in it.
import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core";

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export interface Asked {
  /** The server's address, and the code of a login link. */
  url: string;
  code: string;
}

export function asked(): Asked {
  const url = process.env.FOLIOT_URL ?? "";
  const code = process.env.FOLIOT_LOGIN_CODE ?? "";
  if (url === "") throw new Error("say which server: FOLIOT_URL, FOLIOT_LOGIN_CODE");
  return { url, code };
}

export async function launched(): Promise<Browser> {
  return await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
}

/** Messages of a page that should not be there: errors of scripts, refusals of the content policy, other hosts. */
export class Complaints {
  readonly found: string[] = [];

  watch(page: Page, url: string): void {
    page.on("pageerror", (error) => this.found.push(`error: ${error.message}`));
    page.on("console", (message) => {
      const isExpected =
        /status of (401|403|404|409|412|422)/.test(message.text()) || /ERR_CONNECTION/.test(message.text());
      if (message.type() === "error" && !isExpected) this.found.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const address = request.url();
      if (!address.startsWith(url) && !address.startsWith("data:")) this.found.push(`other host: ${address}`);
    });
  }
}

export interface Look {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  language?: "en" | "zh-CN";
  zone?: string;
  state?: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

/** A browser window with this look; the one who logged in hands its state on to the others. */
export async function opened(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.height ?? 900 },
    colorScheme: look.theme ?? "light",
    locale: look.language ?? "en",
    timezoneId: look.zone ?? "Asia/Shanghai",
    reducedMotion: "reduce",
    ...(look.state ? { storageState: look.state } : {}),
  });
  context.setDefaultTimeout(20_000);
  return context;
}

/** Logs in by the link that `foliot up` prints, and waits for the first page. */
export async function logIn(page: Page, { url, code }: Asked): Promise<void> {
  await page.goto(`${url}/login#${code}`);
  await page.waitForURL(`${url}/`);
  await page.locator("#needs, #first").first().waitFor();
}

/** The state of a browser that is logged in by a token: windows that are opened with it are logged in, too. */
export async function loggedIn(
  browser: Browser,
  url: string,
  token = process.env.FOLIOT_TOKEN ?? "",
): Promise<Required<Look>["state"]> {
  const context = await browser.newContext();
  const headers = { Authorization: `Bearer ${token}`, "X-Foliot-Csrf": "1" };
  const answer = await context.request.post(`${url}/api/v1/session`, { headers });
  if (!answer.ok()) throw new Error(await answer.text());
  const state = await context.storageState();
  await context.close();
  return state;
}

declare global {
  var presses: number | undefined;
}

/** Counts the presses of the mouse in a page from now on; an address that is opened anew starts from zero. */
export async function countPresses(page: Page): Promise<void> {
  await page.addInitScript(() => {
    globalThis.presses = 0;
    addEventListener("pointerdown", () => (globalThis.presses = (globalThis.presses ?? 0) + 1), true);
  });
}

export async function pressesOf(page: Page): Promise<number> {
  return await page.evaluate(() => globalThis.presses ?? -1);
}

/** What all pages share: the rights, the badge in the rail, the stream of changes, and the favourites of a minute. */
const FRAME = ["/api/v1/whoami", "/api/v1/overview", "/api/v1/events", "/api/v1/views"];
const STREAMS = /\/api\/v1\/(events|runs\/[^/]+\/logs)$/;
const QUIET_MS = 300;
const QUIET_WITHIN_MS = 20_000;
const POLLED_MS = 2000; // what is read by time is read no sooner

/** The calls of the API that the page in a window makes, and the streams it opens, in their order. */
export class Calls {
  readonly made: string[] = [];
  private readonly madeAtMs: number[] = [];
  private readonly unanswered = new Set<Request>();
  private heardAtMs = 0;

  /** Without those of the frame. Changes that come in meanwhile are read again: an address counts once. */
  ofThePage(): string[] {
    return this.distinct(false);
  }

  ofTheFrame(): string[] {
    return this.distinct(true);
  }

  /** Addresses that were asked for again, sooner than anything is read by time. */
  repeated(): string[] {
    const last = new Map<string, number>();
    return this.made.filter((call, place) => {
      const atMs = this.madeAtMs[place] ?? 0;
      const sinceMs = atMs - (last.get(call) ?? Number.NEGATIVE_INFINITY);
      last.set(call, atMs);
      return sinceMs < POLLED_MS;
    });
  }

  watch(page: Page): void {
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (request.isNavigationRequest()) this.forget(); // another page
      if (!pathname.startsWith("/api/")) return;
      this.made.push(`${request.method()} ${pathname}${search}`);
      this.heardAtMs = Date.now();
      this.madeAtMs.push(this.heardAtMs);
      if (!STREAMS.test(pathname)) this.unanswered.add(request);
    });
    const answered = (request: Request) => {
      if (this.unanswered.delete(request)) this.heardAtMs = Date.now();
    };
    page.on("requestfinished", answered);
    page.on("requestfailed", answered);
  }

  /** Until everything is there, and nothing was asked or answered for a while. */
  async untilQuiet(page: Page, forMs = QUIET_MS): Promise<void> {
    const untilMs = Date.now() + QUIET_WITHIN_MS;
    while (!(await this.isQuiet(page, forMs))) {
      const left = [...this.unanswered].map((request) => request.url());
      if (Date.now() > untilMs) throw new Error(`${page.url()} comes to no rest: ${left.join(", ")}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private async isQuiet(page: Page, forMs: number): Promise<boolean> {
    if (this.unanswered.size > 0 || Date.now() - this.heardAtMs < forMs) return false;
    return (await page.locator('[aria-busy="true"]').count()) === 0;
  }

  private forget(): void {
    this.made.length = 0;
    this.madeAtMs.length = 0;
    this.unanswered.clear();
  }

  private distinct(isFrame: boolean): string[] {
    const isOf = (call: string) => FRAME.includes(call.replace(/^GET |\?.*/g, "")) === isFrame;
    return [...new Set(this.made.filter(isOf))];
  }
}

/** A stream of changes that says hello and nothing more: what the page asks for from now on is its own doing. */
export async function holdChanges(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const real = window.fetch;
    const hello = new TextEncoder().encode("event: hello\ndata: {}\n\n");
    window.fetch = (address, init) => {
      if (!/\/api\/v1\/events(\?|$)/.test(String(address))) return real(address, init);
      const start = (writer: ReadableStreamDefaultController) => {
        writer.enqueue(hello);
        init?.signal?.addEventListener("abort", () => writer.error(init.signal?.reason));
      };
      return Promise.resolve(new Response(new ReadableStream({ start })));
    };
  });
}

/** The overview of a server without jobs; `namespaces`: those that have some, which rest. */
export async function withoutJobs(page: Page, namespaces: string[] = []): Promise<void> {
  const nothing = { failing: [], late: [], alerts: [], held: [], running: [], next: [], changes: [] };
  await page.route("**/api/v1/overview?*", async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, ...nothing, namespaces, cluster: null } });
  });
}
