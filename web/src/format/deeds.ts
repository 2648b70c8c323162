/// What somebody who searches wants to do: `pause settle`, `触发 settle`.

export const VERBS = ["trigger", "pause", "drain"] as const;
export type Verb = (typeof VERBS)[number];

export interface Deed {
  verb: Verb;
  name: string;
  /** Of a job; a node has none. */
  namespace: string;
}

interface Asked {
  verb: Verb | null;
  /** What is searched for. */
  rest: string;
}

/** The verb a text begins with, in English and in the words that are given. Names are not taken for verbs: a blank follows. */
export function askedOf(text: string, words: Record<Verb, string>): Asked {
  const written = text.trimStart();
  for (const verb of VERBS) {
    for (const word of [verb, words[verb]]) {
      const isLatin = /^[a-z]/i.test(word);
      const after = written.slice(word.length);
      const isIt = written.toLowerCase().startsWith(word.toLowerCase()) && (!isLatin || /^\s/.test(after));
      if (isIt) return { verb, rest: after.trim() };
    }
  }
  return { verb: null, rest: text.trim() };
}

/** Which deeds there are for something that was found. */
export function verbsOf(kind: string, rights: { run: boolean; admin: boolean }): Verb[] {
  if (kind === "node") return rights.admin ? ["drain"] : [];
  return kind === "job" && rights.run ? ["trigger", "pause"] : [];
}
