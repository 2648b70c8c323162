import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import i18next from "i18next";
import { expect, test } from "vitest";
import { en } from "./en.ts";
import { filled } from "./fill.ts";
import { zh } from "./zh.ts";

const values = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((found) => found[1]).sort();

test("both languages have the same words with the same values in them", () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  for (const [key, text] of Object.entries(en)) {
    expect(values(zh[key as keyof typeof zh]), key).toEqual(values(text));
  }
});

test("a sentence is filled as i18next fills it, and a value is text whatever it looks like", async () => {
  const look = i18next.createInstance();
  await look.init({
    lng: "en",
    resources: { en: { translation: en } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
  for (const [word, sentence] of Object.entries(en)) {
    const names = values(sentence).filter((name) => name !== "count");
    const given = Object.fromEntries(names.map((name) => [name, `<${name}> $& {{job}} 7`]));
    if (values(sentence).includes("count")) continue;
    expect(filled(sentence, given), word).toBe(look.t(word, given));
  }
  expect(filled("{{a}} and {{b}}", { a: 0 })).toBe("0 and ");
});

test("what can be one has a sentence for one", () => {
  // These are said of many alone.
  const many = ["over.failing", "job.times", "pair.tail", "stats.scatter_cut"];
  const left = Object.entries(en).filter(
    ([key, text]) => !/_other$/.test(key) && /\b(these \{\{|\{\{(count|left|runs)\}\} [a-z]+s\b)/.test(text),
  );
  expect(left.map(([key]) => key).filter((key) => !many.includes(key))).toEqual([]);
});

test("none has its own sentence where one may be asked about none", async () => {
  const look = i18next.createInstance();
  await look.init({
    lng: "en",
    resources: { en: { translation: en } },
    keySeparator: false,
    nsSeparator: false,
  });
  expect(look.t("nodes.drain_says", { count: 0 })).toBe("It takes no more runs. Nothing runs on it.");
  expect(look.t("locks.take_says", { owner: "w", count: 0 })).toContain("nobody waits");
  expect(look.t("locks.take_says", { owner: "w", count: 1 })).toContain("the one who waits");
});

test("no Chinese sentence is left in English", () => {
  const names = /\{\{\w+\}\}|Foliot|JSON|YAML|API|jobs\.py|English/g;
  const left = Object.entries(zh).filter(([, text]) => /[A-Za-z]/.test(text.replace(names, "")));
  expect(left).toEqual([]);
});

test("Chinese sentences have Chinese punctuation", () => {
  const left = Object.entries(zh).filter(([, text]) => /(\p{Script=Han}|\}\})[,;:?!]/u.test(text));
  expect(left).toEqual([]);
});

test("every word is said somewhere", () => {
  const source = files(join(import.meta.dirname, ".."))
    .filter((file) => /\.tsx?$/.test(file) && !/words\/(en|zh)\w*\.ts$/.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  // Families of words are put together from a state, a kind, an event that the server names.
  const families =
    /^(state|job|kind|health|origin|decision|skip|cause|event|line|find|live|trigger|day|nav|fill|topic|span|mode|overlap|route|kindof|expr|bulk|chosen|life|load|grade|family|outcome|failure|action|level|many|source|drill|drilltype|drilltime|drillfires|drillcompared|stats|limitkind|limited|limits|alert|alertlife|notice|delivery|lasts|chkind|chset|alerts|rules|checks|checkstate|ping|weekday|reports|gap|range)\./;
  const silent = Object.keys(en).filter((word) => {
    const stem = word.replace(/_(zero|one|other)$/, "");
    return !families.test(word) && !source.includes(`"${stem}"`);
  });
  expect(silent).toEqual([]);
});

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
