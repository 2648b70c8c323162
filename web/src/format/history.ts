/// The load of nodes while the page is open: the server keeps only the newest figures, so this page keeps some.
export const KEPT = 60;

export interface Loaded {
  id: string;
  load: Record<string, number>;
  last_beat_at: string;
}

export interface Past {
  at: string;
  values: Record<string, number[]>;
}

export type History = Record<string, Past>;

/** The history with one more beat of each node; a node that did not beat meanwhile stands as it was. */
export function withBeat(history: History, nodes: Loaded[]): History {
  const next: History = {};
  for (const node of nodes) {
    const past = history[node.id];
    if (past && past.at === node.last_beat_at) {
      next[node.id] = past;
      continue;
    }
    const values: Record<string, number[]> = {};
    for (const [figure, value] of Object.entries(node.load)) {
      values[figure] = [...(past?.values[figure] ?? []), value].slice(-KEPT);
    }
    next[node.id] = { at: node.last_beat_at, values };
  }
  return next;
}

/** The points of a line in a box of this size, the newest at its right edge. */
export function points(values: number[], max: number, width: number, height: number): string {
  const step = width / (KEPT - 1);
  const first = width - (values.length - 1) * step;
  const top = Math.max(max, ...values, Number.MIN_VALUE);
  return values
    .map((value, index) => {
      const y = height - (value / top) * height;
      return `${Math.round((first + index * step) * 10) / 10},${Math.round(y * 10) / 10}`;
    })
    .join(" ");
}
