/// A job that a route moved: from which worker to which, and the score of each.

const DIGITS = 2;

/** `w-1 (0.50) → w-2 (0.39)`; null: the event does not say so. A worker that was no candidate any more has no score. */
export function movedOf(data: Record<string, unknown>): string | null {
  const { from, to, score_from, score_to } = data;
  if (typeof to !== "string") return null;
  const after = scored(to, score_to);
  return typeof from === "string" ? `${scored(from, score_from)} → ${after}` : `→ ${after}`;
}

function scored(worker: string, score: unknown): string {
  return typeof score === "number" ? `${worker} (${score.toFixed(DIGITS)})` : worker;
}
