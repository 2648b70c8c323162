/// The words of the console in the user's language.
import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";
import { speak } from "../api/call.ts";
import { CHINESE_UNITS, ENGLISH_UNITS, type Units } from "../format/time.ts";
import type { Word } from "./en.ts";

export type Language = "en" | "zh-CN";
export type { Word } from "./en.ts";

type Values = Record<string, string | number>;
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
  await i18next.use(initReactI18next).init({
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
  adopt(language);
  await i18next.changeLanguage(language);
}

function adopt(language: Language): void {
  document.documentElement.lang = language;
  speak(language);
}

function kept(): Language | null {
  const found = localStorage.getItem(KEPT);
  return found === "en" || found === "zh-CN" ? found : null;
}

export function useSay(): Say {
  const { t } = useTranslation();
  return t as unknown as Say;
}

export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return i18n.language === "zh-CN" ? "zh-CN" : "en";
}

export function useUnits(): Units {
  return useLanguage() === "zh-CN" ? CHINESE_UNITS : ENGLISH_UNITS;
}

/** Whether there is a word for something the server names, such as a kind of event. */
export function isWord(word: string): word is Word {
  return i18next.exists(word);
}
