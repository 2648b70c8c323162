/// Which columns the list of jobs has: those that were chosen, in an order that stays. The name is always there.

export const COLUMNS = ["group", "owner", "schedule", "next", "last", "strip", "p95", "success"] as const;
export type Column = (typeof COLUMNS)[number];

export const USUAL: readonly Column[] = ["schedule", "next", "last", "strip", "p95"];
/** How it is written that the name stands alone: an address without a value says nothing. */
const ALONE = "name";

/** From an address or the browser; what is not known is left out, and nothing written means the usual ones. */
export function readColumns(text: string): readonly Column[] {
  const written = new Set(text.split(","));
  const found = COLUMNS.filter((column) => written.has(column));
  return found.length > 0 || written.has(ALONE) ? found : USUAL;
}

/** The usual ones are written as nothing. */
export function writeColumns(columns: readonly Column[]): string {
  const text = COLUMNS.filter((column) => columns.includes(column)).join(",");
  return text === USUAL.join(",") ? "" : text || ALONE;
}

/** With this column, or without it when it was there. */
export function toggled(columns: readonly Column[], column: Column): readonly Column[] {
  return columns.includes(column) ? columns.filter((one) => one !== column) : [...columns, column];
}
