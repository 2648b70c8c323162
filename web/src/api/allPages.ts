/// A list read to its end, page by page, with a bound: for a file that somebody saves.

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export type ReadPage<T> = (cursor: string, signal: AbortSignal) => Promise<Page<T>>;

interface Bounds {
  max: number;
  /** How many were read so far. */
  told: (count: number) => void;
  signal: AbortSignal;
}

/** `isCut`: there are more than the bound. Throws when it is stopped. */
export async function allPages<T>(read: ReadPage<T>, { max, told, signal }: Bounds) {
  const items: T[] = [];
  let cursor: string | null = "";
  while (cursor !== null && items.length < max) {
    signal.throwIfAborted();
    const page: Page<T> = await read(cursor, signal);
    items.push(...page.items);
    cursor = page.next_cursor;
    told(Math.min(items.length, max));
  }
  return { items: items.slice(0, max), isCut: cursor !== null || items.length > max };
}

/** One JSON object a line. */
export function asLines(items: readonly unknown[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}
