/// How long it takes from a press in one page until it is seen, there or in another: on the clock that all pages share.
import type { Page } from "playwright-core";

const LONG_MS = 60_000;

declare global {
  var pressedAt: number;
}

/** A page keeps the instant of the last press of a key or of the mouse. To be called before it is opened. */
export async function notePresses(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const note = () => {
      globalThis.pressedAt = performance.timeOrigin + performance.now();
    };
    for (const kind of ["click", "keydown", "change"]) addEventListener(kind, note, true);
  });
}

export const pressed = (page: Page): Promise<number> => page.evaluate(() => globalThis.pressedAt);

/** When the page shows the text at a place; asked with each frame that it draws. */
export async function shownAt(page: Page, place: string, text: string): Promise<number> {
  const handle = await page.waitForFunction(
    ([where, what]) => {
      const isThere = [...document.querySelectorAll(where ?? "")].some((one) =>
        one.textContent?.includes(what ?? ""),
      );
      return isThere && performance.timeOrigin + performance.now();
    },
    [place, text],
    { polling: "raf", timeout: LONG_MS },
  );
  return Number(await handle.jsonValue());
}

/** One page of a job pauses and resumes it; how many milliseconds later another page of it shows that. */
export async function seesEachOther(one: Page, other: Page, rounds: number, restMs = 0): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [verb, state] = round % 2 === 0 ? ["Pause", "paused"] : ["Resume", "active"];
    await one.locator(".acts").getByRole("button", { name: verb }).click();
    const seen = shownAt(other, ".title", state ?? "");
    await one.getByRole("dialog").getByRole("button", { name: verb }).click();
    const shown = await seen;
    took.push(shown - (await pressed(one)));
    await shownAt(one, ".title", state ?? "");
    await one.getByRole("dialog").waitFor({ state: "detached" });
    if (restMs > 0) await one.waitForTimeout(restMs);
  }
  return took;
}
