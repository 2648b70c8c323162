/// How often something was done in a second: what each step of a range counted, by its length.
import type { LoadPointOut } from "../api/types.ts";
import { STEP_MS } from "./figures.ts";

export type Tally = "scheduled" | "skipped" | "leased";

interface Counted {
  step: keyof typeof STEP_MS;
  load_points: LoadPointOut[];
}

/** The last step may go on: it counts for as long as it lasts until now. */
export function perSecond({ step, load_points }: Counted, tally: Tally, nowMs: number) {
  return load_points.map((point) => {
    const lastsMs = Math.min(STEP_MS[step], nowMs - Date.parse(point.start));
    return { start: point.start, value: lastsMs < 1000 ? null : (1000 * point[tally]) / lastsMs };
  });
}

/** `52/s`, `0.2/s`: as many places as tell one from another. */
export function rateText(value: number): string {
  if (value === 0 || value >= 10) return `${Math.round(value)}/s`;
  return value < 0.01 ? "<0.01/s" : `${Number(value.toPrecision(2))}/s`;
}
