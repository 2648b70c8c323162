import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { glyphOf, toneOf } from "../format/states.ts";
import { en } from "../words/en.ts";
import { contrast, distance, EYES } from "./eyes.ts";

const TONES = ["good", "busy", "wait", "bad", "stop", "idle"];
const GROUNDS = ["ground", "rail", "hover", "code"];
const TEXT_MIN = 4.5; // WCAG 1.4.3
const SHAPE_MIN = 3; // WCAG 1.4.11
const APART_MIN = 0.055;
const css = readFileSync(join(import.meta.dirname, "app.css"), "utf8");

/** The colours that a block of the style sheet names. */
function colorsOf(block: string): (name: string) => string {
  const written = css.split(`${block} {`)[1]?.split("}")[0] ?? "";
  const found = new Map(
    [...written.matchAll(/--([\w-]+): (#\w{6});/g)].map(([, name, color]) => [name, color]),
  );
  return (name) => {
    const color = found.get(name);
    if (color === undefined) throw new Error(`${block} has no --${name}`);
    return color;
  };
}

describe.each([":root", '[data-mantine-color-scheme="dark"]'])("%s", (block) => {
  const color = colorsOf(block);

  test.each([...TONES, "accent", "ink", "soft"])("%s can be read as text on every ground", (name) => {
    for (const ground of GROUNDS)
      expect(contrast(color(name), color(ground)), ground).toBeGreaterThanOrEqual(TEXT_MIN);
  });

  test.each(TONES)("%s is seen as a bar", (tone) => {
    expect(contrast(color(`${tone}-bar`), color("ground"))).toBeGreaterThanOrEqual(SHAPE_MIN);
  });

  test.each(Object.keys(EYES) as (keyof typeof EYES)[])("bars of two states are apart: %s", (eyes) => {
    for (const one of TONES) {
      for (const other of TONES.slice(TONES.indexOf(one) + 1)) {
        const apart = distance(color(`${one}-bar`), color(`${other}-bar`), eyes);
        expect(apart, `${one} and ${other}`).toBeGreaterThanOrEqual(APART_MIN);
      }
    }
  });
});

test("where colours differ, glyphs do: a state is told by its glyph and its word, too", () => {
  for (const family of [
    "state",
    "health",
    "alert",
    "delivery",
    "checkstate",
    "ping",
    "level",
    "decision",
    "fill",
  ]) {
    const states = Object.keys(en).flatMap((word) =>
      word.startsWith(`${family}.`) ? [word.slice(family.length + 1)] : [],
    );
    const toneByGlyph = new Map<string, string>();
    for (const state of states.filter((one) => glyphOf(one) !== "·")) {
      const known = toneByGlyph.get(glyphOf(state)) ?? toneOf(state);
      expect(toneOf(state), `${family}.${state} ${glyphOf(state)}`).toBe(known);
      toneByGlyph.set(glyphOf(state), known);
    }
  }
});

test("colours are measured as WCAG and OKLab have it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.478, 3);
  expect(distance("#000000", "#ffffff", "usual")).toBeCloseTo(1, 3);
  expect(distance("#d8433f", "#3a9a57", "deuteranopia")).toBeLessThan(0.05); // these were not apart
});
