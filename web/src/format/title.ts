/// What a page is about, by its address: what it is of, then its place.
import { placedAs } from "./placed.ts";

export interface Subject {
  /** The name of what it shows; "": it shows a place. */
  name: string;
  place: string;
}

const USUAL = "default";

/** The place is the beginning of an address, or `new`, `edit`, `compare` for what is no list. */
export function subjectOf(path: string): Subject {
  const [place = "", first, second, third] = path.split("/").slice(1).map(decoded);
  if (place === "jobs" && first === "new") return { name: "", place: "new" };
  if (place === "jobs" && first !== undefined && second !== undefined) {
    const name = placedAs({ name: second, namespace: first }, USUAL);
    return { name, place: third === "edit" ? third : place };
  }
  if (place === "runs" && first === "compare") return { name: "", place: first };
  return { name: first ?? "", place };
}

/** `settle · Jobs · Foliot`: the subject first, for tabs of a browser are cut at their end. */
export function titleOf({ name }: Subject, place: string): string {
  return [name, place, "Foliot"].filter((part) => part !== "").join(" · ");
}

/** A part of an address; as it is where it is badly written. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
