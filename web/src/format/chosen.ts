/// A name that is chosen while it is written: which of those that are known is meant.

/** At once: what is written is a name. */
export function namedBy(text: string, names: readonly string[]): string | null {
  return names.includes(text) ? text : null;
}

/** By Enter: the name, else the first that begins so, else one that has it in it, else what is written. */
export function meantBy(text: string, names: readonly string[]): string {
  const lower = text.toLowerCase();
  return (
    namedBy(text, names) ??
    names.find((name) => name.toLowerCase().startsWith(lower)) ??
    names.find((name) => name.toLowerCase().includes(lower)) ??
    text
  );
}
