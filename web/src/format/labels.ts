/// Names and labels of nodes as a filter: `zone=cn-east, gpu`, `w-7`.

type Labels = Record<string, string>;

interface Node {
  name: string;
  labels: Labels;
}

/** Whether each part fits: a label, or without `=` a piece of the name, or the begin of a label's name. */
export function isWanted({ name: own, labels }: Node, wanted: string): boolean {
  return wanted
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .every((part) => {
      const at = part.indexOf("=");
      if (at < 0) return own.includes(part) || Object.keys(labels).some((name) => name.startsWith(part));
      return labels[part.slice(0, at).trim()] === part.slice(at + 1).trim();
    });
}

/** The node that an address means: by its id, or by its name. A name may have sessions of the past: the living one is meant. */
export function nodeCalled<T extends Node & { id: string; ended_at: string | null }>(
  nodes: readonly T[],
  wanted: string,
): T | undefined {
  const called = nodes.filter((node) => node.name === wanted);
  return (
    nodes.find((node) => node.id === wanted) ?? called.find((node) => node.ended_at === null) ?? called[0]
  );
}

/** What an address calls a node: its name, unless another session has it, too. */
export function callOf(node: Node & { id: string }, nodes: readonly (Node & { id: string })[]): string {
  return nodes.some((other) => other.name === node.name && other.id !== node.id) ? node.id : node.name;
}

/** The labels that there are, each once. */
export function labelsOf(nodes: readonly { labels: Labels }[]): string[] {
  return [...new Set(nodes.flatMap((node) => pairsOf(node.labels)))].sort();
}

export function pairsOf(labels: Labels): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`);
}
