/// Labels of nodes as a filter: `zone=cn-east, gpu`.

type Labels = Record<string, string>;

/** Whether each of them is there; one without `=` stands for every label whose name begins so, whatever its value. */
export function hasLabels(labels: Labels, wanted: string): boolean {
  return wanted
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .every((part) => {
      const at = part.indexOf("=");
      if (at < 0) return Object.keys(labels).some((name) => name.startsWith(part));
      return labels[part.slice(0, at).trim()] === part.slice(at + 1).trim();
    });
}

/** The labels that there are, each once. */
export function labelsOf(nodes: readonly { labels: Labels }[]): string[] {
  return [...new Set(nodes.flatMap((node) => pairsOf(node.labels)))].sort();
}

export function pairsOf(labels: Labels): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`);
}
