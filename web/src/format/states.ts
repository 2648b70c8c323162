/// How each state looks: a tone and a glyph. The word stands beside them, so colour alone tells nothing.
export type Tone = "good" | "busy" | "wait" | "bad" | "stop" | "idle";

const TONES: Record<string, [Tone, string]> = {
  PENDING: ["wait", "◌"],
  RUNNING: ["busy", "▶"],
  SUCCEEDED: ["good", "✔"],
  FAILED: ["bad", "✖"],
  CANCELLED: ["stop", "■"],
  HELD: ["wait", "▲"],
  RETRYING: ["wait", "↻"],
  CANCELLING: ["stop", "⊘"],
  ACTIVE: ["good", "●"],
  PAUSED: ["idle", "❚❚"],
  DONE: ["idle", "✔"],
  ONLINE: ["good", "●"],
  WARNING: ["wait", "▲"],
  OFFLINE: ["bad", "○"],
  DEAD: ["bad", "✖"],
  LEFT: ["idle", "◌"],
  draining: ["wait", "◍"],
  OK: ["good", "✔"],
  UNKNOWN: ["idle", "?"],
  NOTICE: ["busy", "i"],
  CRITICAL: ["bad", "✖"],
  ASKED: ["wait", "◷"],
  ENDED: ["good", "✔"],
  STOPPED: ["stop", "■"],
  LOST: ["bad", "✖"],
  open: ["wait", "▶"],
  recovered: ["good", "✔"],
  losses: ["bad", "✖"],
  CREATED: ["good", "✔"],
  SKIPPED: ["idle", "–"],
  PLANNED: ["idle", "◷"],
  critical: ["bad", "✖"],
  warning: ["wait", "▲"],
  info: ["busy", "i"],
  FIRING: ["bad", "●"],
  ACKNOWLEDGED: ["busy", "◉"],
  RESOLVED: ["good", "✔"],
  WAITING: ["wait", "◷"],
  SENDING: ["busy", "▶"],
  SENT: ["good", "✔"],
  DROPPED: ["idle", "–"],
  NEW: ["idle", "○"],
  UP: ["good", "●"],
  LATE: ["wait", "◷"],
  DOWN: ["bad", "✖"],
  start: ["busy", "▶"],
  ok: ["good", "✔"],
  fail: ["bad", "✖"],
};

export function toneOf(state: string): Tone {
  return TONES[state]?.[0] ?? "idle";
}

export function glyphOf(state: string): string {
  return TONES[state]?.[1] ?? "·";
}
