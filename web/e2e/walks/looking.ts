/// What a walk looks at in any page: accessibility, width, words that were left in English.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { Calls } from "../browser.ts";

/** What floats: dialogs, drawers, menus. */
export const FLOAT = "[role=dialog], [role=menu]";
/** As long as nothing comes after an answer, what is read anew in another language is there. */
const ANSWERED_MS = 100;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Parts of pictures that are links: the bars of a strip, the days of a year, the dots of runs. They may be smaller than
 * what everybody can hit, because the same runs and days stand in a list, too.
 */
const SMALL_BY_NATURE = ".strip a, .year a.cell, .scatter a.dot";

declare global {
  var axe: typeof import("axe-core");
}

/** What is wrong for those who see, hear or press otherwise: on the whole page, or within what floats over it. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  // The content policy lets no script into the page: the tool comes in beside it, as the browser's own tools do.
  if (await page.evaluate(() => globalThis.axe === undefined)) await page.evaluate(AXE);
  return await page.evaluate(
    async ([within, small]) => {
      const { violations } = await axe.run(within ?? document, {
        rules: { "target-size": { enabled: true } }, // of WCAG 2.2 AA; it rests by default
        elementRef: true,
        resultTypes: ["violations"],
      });
      return violations.flatMap(({ id, nodes }) => {
        const found = nodes.filter((node) => id !== "target-size" || !node.element?.matches(small));
        return found.length === 0 ? [] : `${id}: ${found.map((node) => node.html.slice(0, 160)).join(" | ")}`;
      });
    },
    [within, SMALL_BY_NATURE] as const,
  );
}

/** The other theme and the other language, chosen while the page is there. */
export async function lookOtherwise(page: Page): Promise<void> {
  const button = page.locator(".head button[lang]"); // it says the other language
  const language = (await button.getAttribute("lang")) ?? "en";
  await page.emulateMedia({ colorScheme: language === "en" ? "light" : "dark" });
  await button.dispatchEvent("click"); // also from under a dialog
  await page.locator(`html[lang="${language}"]`).waitFor({ state: "attached" });
}

/** What is wrong with what floats over a page, in both looks: accessibility, words, a window of 360 pixels. */
export async function wrongWithFloat(page: Page, calls: Calls): Promise<string[]> {
  await page.locator(FLOAT).first().waitFor();
  const wrong: string[] = [];
  for (const other of [false, true]) {
    if (other) await lookOtherwise(page);
    await calls.untilQuiet(page, ANSWERED_MS);
    wrong.push(...(await violations(page, FLOAT)), ...(await wholeEnglishIn(page)));
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    await page.setViewportSize({ width: 360, height: 740 });
    await untilWithin(page, FLOAT, 360).catch(() => wrong.push("is cut off"));
    wrong.push(...(await tooWide(page)));
    await page.setViewportSize({ width, height });
  }
  return wrong;
}

/** What is wrong with a page in both looks: the one that it has, and the other one, in which the next page is opened. */
export async function wrongWithPage(page: Page, calls: Calls): Promise<string[]> {
  const wrong: string[] = [];
  for (const other of [false, true]) {
    if (other) await lookOtherwise(page);
    await calls.untilQuiet(page, ANSWERED_MS);
    wrong.push(...(await violations(page)), ...(await englishIn(page)), ...(await tooWide(page)));
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  return wrong;
}

async function tooWide(page: Page): Promise<string[]> {
  const wide = await widthAt(page, 360);
  return wide <= 360 ? [] : [`is ${wide} pixels wide`];
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

/** Attributes that are read aloud, or shown: by the pointer, in an empty field, in the place of a picture. */
const SAID = ["aria-label", "title", "placeholder", "alt"];

/**
 * What a page that is not in English says in Latin letters, and is neither names, code nor ids (these say
 * translate="no"). Sentences of the server have names within them, and so have attributes: these are English when nothing
 * in them is Chinese.
 */
export async function englishIn(page: Page): Promise<string[]> {
  return await page.evaluate((attributes) => {
    const found: string[] = [];
    if (document.documentElement.lang === "en") return found;
    const words = (text: string) =>
      text
        .replace(/\b(API|JSON|Foliot|jobs\.py|INFO|WARNING|ERROR)\b/g, "")
        .replace(/\br-[a-z0-9]+/g, "") // a run's id may look like a word
        .replace(/\b[A-Z][A-Za-z_]+\/[A-Z][A-Za-z_/]+/g, ""); // a time zone is called the same everywhere
    const isEnglish = (text: string) =>
      !text.startsWith("foliot ") && // a hint may be a command
      (text.match(/[A-Za-z]{2,}/g) ?? []).length > 2 &&
      !/\p{Script=Han}/u.test(text);
    for (const said of document.querySelectorAll(".raw, .why p")) {
      const text = said.textContent ?? "";
      if (!said.closest('[translate="no"]') && !said.querySelector("[translate=no]") && isEnglish(text))
        found.push(text);
    }
    for (const attribute of attributes) {
      for (const one of document.querySelectorAll(`[${attribute}]:not([aria-hidden="true"])`)) {
        const text = one.getAttribute(attribute) ?? "";
        const isOurs = /[A-Za-z]{3,}/.test(words(text)) && !/\p{Script=Han}/u.test(text);
        if (isOurs && !one.closest('[translate="no"]')) found.push(`${attribute}: ${text}`);
      }
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || parent.closest('[translate="no"], script, style, .why, .raw')) continue;
      const text = words(walker.currentNode.textContent ?? "");
      if (/[A-Za-z]{2,}/.test(text)) found.push(text.trim());
    }
    return found;
  }, SAID);
}

/** The same of dialogs: their sentences have names and commands within them. */
export async function wholeEnglishIn(page: Page): Promise<string[]> {
  return (await englishIn(page)).filter((text) => !/\p{Script=Han}|^foliot /u.test(text));
}
