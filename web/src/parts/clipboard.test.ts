/// Copying, with and without the browser's clipboard.
import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "./clipboard.ts";

afterEach(() => vi.unstubAllGlobals());

/** A page that copies what is selected, or refuses to; the texts that were selected. */
function page(copies: () => boolean): string[] {
  const selected: string[] = [];
  const field = { value: "", select: () => selected.push(field.value), remove: vi.fn() };
  vi.stubGlobal("HTMLElement", class {});
  vi.stubGlobal("document", {
    activeElement: null,
    body: { append: vi.fn() },
    createElement: () => field,
    execCommand: copies,
  });
  return selected;
}

test("the clipboard of the browser is used where there is one", async () => {
  const writeText = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  expect(await copyText("foliot up")).toBe(true);
  expect(writeText).toHaveBeenCalledWith("foliot up");
});

test("without a clipboard, as on http://10.0.0.5, and with one that refuses, a selected text is copied", async () => {
  vi.stubGlobal("navigator", {});
  const selected = page(() => true);
  expect(await copyText("foliot up")).toBe(true);
  const refuses = async () => {
    throw new DOMException("not allowed");
  };
  vi.stubGlobal("navigator", { clipboard: { writeText: refuses } });
  expect(await copyText("foliot down")).toBe(true);
  expect(selected).toEqual(["foliot up", "foliot down"]);
});

test("what could not be copied is not said to be", async () => {
  vi.stubGlobal("navigator", {});
  page(() => false);
  expect(await copyText("foliot up")).toBe(false);
});
