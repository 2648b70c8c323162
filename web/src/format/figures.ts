/// Figures over time as bars and lines in a box. Steps in which no run ended leave a gap in the bars.

export const STEP_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export const SPANS = { "1h": 1, "24h": 24, "7d": 168, "30d": 720, "1y": 8760 } as const;
export type Span = keyof typeof SPANS;
const SPAN_USUAL: Span = "24h";
const HOUR_MS = 3_600_000;

export function spanOf(text: string | undefined): Span {
  return text !== undefined && Object.hasOwn(SPANS, text) ? (text as Span) : SPAN_USUAL;
}

/** When a span up to now begins. */
export function spanStart(span: Span, nowMs: number): string {
  return new Date(nowMs - SPANS[span] * HOUR_MS).toISOString();
}

export interface Box {
  fromMs: number;
  toMs: number;
  stepMs: number;
  width: number;
  height: number;
}

/** Where a step stands from left to right. */
export function placeOf(start: string, box: Box): { x: number; width: number } {
  const whole = Math.max(box.stepMs, box.toMs - box.fromMs);
  const x = ((Date.parse(start) - box.fromMs) / whole) * box.width;
  return { x: rounded(x), width: rounded((box.stepMs / whole) * box.width) };
}

export interface Block {
  part: number;
  y: number;
  height: number;
}

/** The parts of one bar, stacked from below; parts of nothing take no room, and the smallest part can be seen. */
export function stacked(parts: readonly number[], top: number, height: number): Block[] {
  const blocks: Block[] = [];
  let below = 0;
  for (const [part, value] of parts.entries()) {
    if (value <= 0) continue;
    const size = Math.max(1, (value / Math.max(top, 1)) * height);
    below += size;
    blocks.push({ part, y: rounded(Math.max(0, height - below)), height: rounded(size) });
  }
  return blocks;
}

/** A line through the middles of the steps that have a value; one alone is a dot. */
export function lineOf(
  values: readonly { start: string; value: number | null }[],
  top: number,
  box: Box,
): string {
  const places = values.flatMap(({ start, value }) => {
    if (value === null) return [];
    const { x, width } = placeOf(start, box);
    const y = box.height - (value / Math.max(top, Number.MIN_VALUE)) * box.height;
    return [`${rounded(x + width / 2)} ${rounded(y)}`];
  });
  const [first] = places;
  if (first === undefined) return "";
  return places.length === 1 ? `M${first}h0.01` : `M${places.join("L")}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

export interface TimeRange {
  from: string;
  to: string;
}

const BRUSHED_MIN_MS = 60_000;

/** The range between two places of a chart, each a share of its width; whole minutes, at least one of them. */
export function brushed(box: Pick<Box, "fromMs" | "toMs">, one: number, other: number): TimeRange {
  const at = (share: number) => box.fromMs + Math.min(1, Math.max(0, share)) * (box.toMs - box.fromMs);
  const from = Math.floor(at(Math.min(one, other)) / BRUSHED_MIN_MS) * BRUSHED_MIN_MS;
  const to = Math.ceil(at(Math.max(one, other)) / BRUSHED_MIN_MS) * BRUSHED_MIN_MS;
  return rangeOf(from, Math.max(to, from + BRUSHED_MIN_MS));
}

/** The step of a chart that holds an instant. */
export function stepAt(atMs: number, stepMs: number): TimeRange {
  const from = Math.floor(atMs / stepMs) * stepMs;
  return rangeOf(from, from + stepMs);
}

/** The same length of time, earlier (−1) or later (1) by half of it. */
export function moved({ from, to }: TimeRange, direction: -1 | 1): TimeRange {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const by = (direction * (toMs - fromMs)) / 2;
  return rangeOf(fromMs + by, toMs + by);
}

/** The newer half of a range: closer, for those who use keys. */
export function closer({ from, to }: TimeRange): TimeRange {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  return rangeOf(Math.min(fromMs + (toMs - fromMs) / 2, toMs - BRUSHED_MIN_MS), toMs);
}

function rangeOf(fromMs: number, toMs: number): TimeRange {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** Where a run stands in a chart of durations, as shares from the left and from below. */
export function dotOf(startedMs: number, seconds: number, top: number, box: Pick<Box, "fromMs" | "toMs">) {
  const across = (startedMs - box.fromMs) / Math.max(1, box.toMs - box.fromMs);
  return { x: Math.min(1, Math.max(0, across)), y: Math.min(1, seconds / Math.max(top, Number.MIN_VALUE)) };
}
