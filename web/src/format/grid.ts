/// Keys in the picture of a year: its days stand in columns of weeks.

const STEPS: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };
const DAY_MS = 86_400_000;

/** The day that a key leads to from another, of those that have something to show; null: the key leads nowhere. */
export function dayByKey(days: readonly string[], from: string, key: string): string | null {
  if (key === "Home") return days[0] ?? null;
  if (key === "End") return days.at(-1) ?? null;
  const step = STEPS[key];
  if (step === undefined) return null;
  const wanted = new Date(Date.parse(from) + step * DAY_MS).toISOString().slice(0, 10);
  const isLater = step > 0;
  const found = isLater ? days.find((day) => day >= wanted) : days.findLast((day) => day <= wanted);
  return found ?? null;
}
