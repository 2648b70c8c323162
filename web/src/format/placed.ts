/// A job as it is written where several namespaces are looked at: `billing / settle`, or `settle` at home.

export interface Placed {
  name: string;
  namespace: string;
}

const BETWEEN = " / ";

/** `home`: the namespace that a name alone is of. */
export function placedAs({ name, namespace }: Placed, home: string): string {
  return namespace === home ? name : `${namespace}${BETWEEN}${name}`;
}

export function readPlaced(text: string, home: string): Placed {
  const at = text.lastIndexOf(BETWEEN);
  if (at < 0) return { name: text, namespace: home };
  return { name: text.slice(at + BETWEEN.length), namespace: text.slice(0, at) };
}
