/// Keys in a log: from row to row, a window at a time, to its ends.

/** The rows that are in sight. */
export interface InSight {
  first: number;
  last: number;
}

/**
 * The row that a key leads to; null: the key is the browser's own. `from`: the row that has the focus, null when none of
 * them has. Rows that nothing can be done with are passed by.
 */
export function rowByKey(
  from: number | null,
  key: string,
  count: number,
  sight: InSight,
  isStop: (row: number) => boolean,
): number | null {
  if (from === null) {
    // The keys begin where the reader looks; others scroll.
    if (key === "ArrowDown") return next(sight.first, 1, count, isStop);
    if (key === "ArrowUp") return next(sight.last, -1, count, isStop);
    return null;
  }
  const window = Math.max(1, sight.last - sight.first);
  switch (key) {
    case "ArrowDown":
      return next(from + 1, 1, count, isStop) ?? from;
    case "ArrowUp":
      return next(from - 1, -1, count, isStop) ?? from;
    case "PageDown":
      return next(Math.min(from + window, count - 1), -1, count, isStop);
    case "PageUp":
      return next(Math.max(from - window, 0), 1, count, isStop);
    case "Home":
      return next(0, 1, count, isStop);
    case "End":
      return next(count - 1, -1, count, isStop);
    default:
      return null;
  }
}

function next(at: number, step: 1 | -1, count: number, isStop: (row: number) => boolean): number | null {
  for (let row = at; row >= 0 && row < count; row += step) if (isStop(row)) return row;
  return null;
}
