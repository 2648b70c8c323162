/// A list that somebody has the pointer or the focus in: its rows change in place and stay where they are.

export interface Row<T> {
  item: T;
  /** It is on the list no more; it shows what was known last. */
  isGone: boolean;
}

export interface Held<T> {
  rows: readonly Row<T>[];
  /** How many new ones wait. */
  waiting: number;
}

/** The list as it is. */
export function freshly<T>(items: readonly T[]): Held<T> {
  return { rows: items.map((item) => ({ item, isGone: false })), waiting: 0 };
}

/** What came, while somebody is in the list. What stands behind all rows goes there: nothing moves by that. */
export function heldBack<T>(before: Held<T>, came: readonly T[], keyOf: (item: T) => string): Held<T> {
  if (before.rows.length === 0) return freshly(came);
  const shown = new Set(before.rows.map(({ item }) => keyOf(item)));
  const now = new Map(came.map((item) => [keyOf(item), item]));
  const rows = before.rows.map(({ item }): Row<T> => {
    const found = now.get(keyOf(item));
    return found === undefined ? { item, isGone: true } : { item: found, isGone: false };
  });
  const lastShown = came.findLastIndex((item) => shown.has(keyOf(item)));
  const behind = lastShown < 0 ? [] : came.slice(lastShown + 1);
  const waiting = came.filter((item, at) => at < lastShown && !shown.has(keyOf(item)));
  return {
    rows: [...rows, ...freshly(behind).rows],
    waiting: lastShown < 0 ? came.length : waiting.length,
  };
}

/** Whether two readings of a list say the same. */
export function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
