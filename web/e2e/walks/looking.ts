/// What a walk looks at in any page: accessibility, width, words that were left in English.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  nodes: { html: string }[];
}

export async function violations(page: Page): Promise<string[]> {
  // The content policy lets no script into the page: the tool comes in beside it, as the browser's own tools do.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as { violations: Violation[] };
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

/** How wide a page is in a window of this width. */
export async function widthAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 740 });
  return await page.evaluate(() => {
    const main = document.querySelector("main");
    return Math.max(document.documentElement.scrollWidth, main?.scrollWidth ?? 0);
  });
}

/** Until what floats over a page stands within a window of this width: it is moved some frames after the window shrank. */
export async function untilWithin(page: Page, selector: string, width: number): Promise<void> {
  await page.waitForFunction(
    ([selector, width]) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box !== undefined && box.left >= 0 && box.right <= width;
    },
    [selector, width] as const,
    { timeout: 5000 },
  );
}

/**
 * Words in Latin letters that are neither names, code nor ids (these say translate="no"). Sentences of the server have
 * names within them, and so have labels for readers aloud: these are English when nothing in them is Chinese.
 */
export async function englishIn(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const isEnglish = (text: string) =>
      (text.match(/[A-Za-z]{2,}/g) ?? []).length > 2 && !/\p{Script=Han}/u.test(text);
    for (const said of document.querySelectorAll(".raw, .why p")) {
      const text = said.textContent ?? "";
      if (!said.closest('[translate="no"]') && !said.querySelector("[translate=no]") && isEnglish(text))
        found.push(text);
    }
    for (const one of document.querySelectorAll('[aria-label]:not([aria-hidden="true"])')) {
      const text = one.getAttribute("aria-label") ?? "";
      const isOurs = /[A-Za-z]{3,}/.test(text) && !/\p{Script=Han}/u.test(text);
      if (isOurs && !one.closest('[translate="no"]')) found.push(text);
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || parent.closest('[translate="no"], script, style, .why, .raw')) continue;
      const text = (walker.currentNode.textContent ?? "")
        .replace(/\b(API|JSON|Foliot|INFO|WARNING|ERROR)\b/g, "")
        .replace(/\br-[a-z0-9]+/g, "") // a run's id may look like a word
        .replace(/\b[A-Z][A-Za-z_]+\/[A-Z][A-Za-z_/]+/g, ""); // a time zone is called the same everywhere
      if (/[A-Za-z]{2,}/.test(text)) found.push(text.trim());
    }
    return found;
  });
}
