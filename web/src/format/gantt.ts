/// Where the bar of each shard lies in the time of its run, in hundredths.
export interface Spanned {
  id: string;
  started_at: string | null;
  ended_at: string | null;
}

export interface Span {
  fromMs: number;
  toMs: number;
}

const WIDTH_MIN = 0.5; // a bar of nothing would not be seen

/** From the first start to the last end; what is not over lasts until now. */
export function spanOf(shards: Spanned[], nowMs: number): Span {
  const begun = shards.filter((shard) => shard.started_at !== null);
  const starts = begun.map((shard) => Date.parse(shard.started_at ?? ""));
  const ends = begun.map((shard) => endOf(shard, nowMs));
  const fromMs = Math.min(...starts, nowMs);
  return { fromMs, toMs: Math.max(...ends, fromMs + 1) };
}

export function barOf(shard: Spanned, span: Span, nowMs: number): { left: number; width: number } | null {
  if (shard.started_at === null) return null;
  const whole = span.toMs - span.fromMs;
  const left = (100 * (Date.parse(shard.started_at) - span.fromMs)) / whole;
  const right = (100 * (endOf(shard, nowMs) - span.fromMs)) / whole;
  const width = Math.max(WIDTH_MIN, right - left);
  return { left: Math.min(left, 100 - width), width };
}

/** Seconds from its first start to its end, with all its attempts. */
export function tookOf(shard: Spanned, nowMs: number): number | null {
  return shard.started_at === null ? null : (endOf(shard, nowMs) - Date.parse(shard.started_at)) / 1000;
}

function endOf(shard: Spanned, nowMs: number): number {
  return shard.ended_at === null ? nowMs : Date.parse(shard.ended_at);
}
