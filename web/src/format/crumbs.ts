/// The way to a page of one thing: the list it stands in, and the namespace of a job.

export interface Crumb {
  /** The part of the address; the first is a place of the rail. */
  text: string;
  /** Undefined: one is there. */
  to?: string;
}

/** Empty for a list: the rail says where one is. */
export function crumbsOf(pathname: string): Crumb[] {
  const parts = pathname.split("/").filter((part) => part !== "");
  const [place, first, second, last] = parts.map(decoded);
  if (place === undefined || first === undefined) return [];
  const list = { text: place, to: `/${place}` };
  if (second === undefined) return [list, { text: first }];
  const namespace = { text: first, to: `/jobs?in=${encodeURIComponent(first)}` };
  if (last === undefined) return [list, namespace, { text: second }];
  return [
    list,
    namespace,
    { text: second, to: pathname.slice(0, pathname.lastIndexOf("/")) },
    { text: last },
  ];
}

/** What somebody typed by hand need not be an address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
