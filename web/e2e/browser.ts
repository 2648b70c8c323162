/// The browser of the walks: Debian's Chromium, and a page that notes everything that goes wrong in it.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

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
        /status of (401|403|404|422|412)/.test(message.text()) || /ERR_CONNECTION/.test(message.text());
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
  state?: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

/** A browser window with this look; the one who logged in hands its state on to the others. */
export async function opened(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.height ?? 900 },
    colorScheme: look.theme ?? "light",
    locale: look.language ?? "en",
    timezoneId: "Asia/Shanghai",
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
