/// What is written in a form stays through errors, an ended session and a reload, until it is sent or discarded.
import { useState } from "react";

const DRAFTS = "foliot.draft.";

/** The draft, what keeps a change of it, and what forgets it. `place` names the form and what it is about. */
export function useDraft<T extends object>(
  place: string,
  first: T,
): [T, (change: Partial<T>) => void, () => void] {
  const kept = DRAFTS + place;
  const [draft, setDraft] = useState<T>(() => ({ ...first, ...readKept(kept) }));
  const keep = (change: Partial<T>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    sessionStorage.setItem(kept, JSON.stringify(next));
  };
  const forget = () => {
    sessionStorage.removeItem(kept);
    setDraft(first);
  };
  return [draft, keep, forget];
}

/** Who logs out leaves none to the next person in this tab. */
export function forgetDrafts(): void {
  const kept = Object.keys(sessionStorage).filter((place) => place.startsWith(DRAFTS));
  for (const place of kept) sessionStorage.removeItem(place);
}

interface Versioned {
  name: string;
  namespace: string | null;
  version: number;
}

/** The place of the form of a thing, or of a new one. What was written about another version is not for this one. */
export function draftOf(what: string, thing: Versioned | undefined): string {
  return thing ? `${what} ${thing.namespace}/${thing.name} v${thing.version}` : what;
}

function readKept(place: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? "{}") as object;
  } catch {
    return {};
  }
}
