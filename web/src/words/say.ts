/// The words of the console in the user's language.
import i18next, { type TFunction } from "i18next";
import { createContext, createElement, type ReactNode, useContext, useSyncExternalStore } from "react";
import { speak } from "../api/call.ts";
import { CHINESE_UNITS, ENGLISH_UNITS, type Units } from "../format/time.ts";
import type { Word } from "./en.ts";
import { filled, type Values } from "./fill.ts";

export type Language = "en" | "zh-CN";
export type { Word } from "./en.ts";

/** Words of which there is a form for one and a form for more. */
type Counted = Word extends infer W ? (W extends `${infer Stem}_other` ? Stem : never) : never;
export type Say = (word: Word | Counted, values?: Values) => string;

const KEPT = "foliot.language";

/** Each language is a file of its own: a browser loads the one that it shows. */
const WORDS: Record<Language, () => Promise<Record<Word, string>>> = {
  en: async () => (await import("./en.ts")).en,
  "zh-CN": async () => (await import("./zh.ts")).zh,
};

export async function startWords(): Promise<void> {
  const language = kept() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en");
  speak(language); // what is asked for meanwhile is answered in it
  await i18next.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: await WORDS[language]() } },
    keySeparator: false,
    nsSeparator: false,
    // React writes texts as texts: escaping them here would show the escapes.
    interpolation: { escapeValue: false },
  });
  adopt(language);
}

export async function choose(language: Language): Promise<void> {
  i18next.addResourceBundle(language, "translation", await WORDS[language]());
  localStorage.setItem(KEPT, language);
  await i18next.changeLanguage(language);
  adopt(language);
}

/** A list says some words thousands of times: each is looked up once. Only a count needs the rules of the language. */
function remembering(look: TFunction): Say {
  const known = new Map<string, string>();
  return (word, values) => {
    if (values?.count !== undefined) return look(word, values);
    let said = known.get(word);
    if (said === undefined) {
      said = look(word, { skipInterpolation: true });
      known.set(word, said);
    }
    return values === undefined ? said : filled(said, values);
  };
}

interface Spoken {
  language: Language;
  units: Units;
  say: Say;
}

let spoken: Spoken;
const listeners = new Set<() => void>();

function adopt(language: Language): void {
  const units = language === "zh-CN" ? CHINESE_UNITS : ENGLISH_UNITS;
  spoken = { language, units, say: remembering(i18next.getFixedT(language)) };
  document.documentElement.lang = language;
  speak(language);
  for (const listener of listeners) listener();
}

function kept(): Language | null {
  const found = localStorage.getItem(KEPT);
  return found === "en" || found === "zh-CN" ? found : null;
}

function onSpoken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const readSpoken = () => spoken;

// One place listens to the language and hands it down. A list has thousands of words: if each of them listened, a
// page with such a list would come and go visibly later.
const SpokenContext = createContext<Spoken | null>(null);

export function Words({ children }: { children: ReactNode }) {
  return createElement(SpokenContext, { value: useSyncExternalStore(onSpoken, readSpoken) }, children);
}

function useSpoken(): Spoken {
  return useContext(SpokenContext) ?? spoken;
}

export function useSay(): Say {
  return useSpoken().say;
}

export function useLanguage(): Language {
  return useSpoken().language;
}

export function useUnits(): Units {
  return useSpoken().units;
}

const found = new Set<string>();

/** Whether there is a word for something the server names, such as a kind of event. One that was found is not looked for again. */
export function isWord(word: string): word is Word {
  if (found.has(word)) return true;
  const isOne = i18next.exists(word);
  if (isOne) found.add(word);
  return isOne;
}
