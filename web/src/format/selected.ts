/// Rows of a list that somebody chose, by what names them. What is no longer in the list does not count.

export type Chosen = ReadonlySet<string>;

/** One row more, or one less. */
export function toggled(chosen: Chosen, name: string): Chosen {
  const next = new Set(chosen);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** All rows that are in sight, or none when all were chosen. */
export function allToggled(chosen: Chosen, names: readonly string[]): Chosen {
  return stateOf(chosen, names) === "all" ? new Set() : new Set(names);
}

/** How many of the rows in sight are chosen: what the box above them shows. */
export function stateOf(chosen: Chosen, names: readonly string[]): "none" | "some" | "all" {
  const count = names.filter((name) => chosen.has(name)).length;
  if (count === 0) return "none";
  return count === names.length ? "all" : "some";
}
