/// A line of a run's log, taken apart: when, how grave, what.

export interface LogLine {
  /** The number of the shard, if the line is of one. */
  shard: string;
  at: string;
  level: string;
  text: string;
}

const HEAD = /^(?:#(\d+) )?(\d{4}-\d\d-\d\dT[\d:.]+Z) {2}([A-Z]+) {2}/;

export function readLine(raw: string): LogLine {
  const head = HEAD.exec(raw);
  if (!head) return { shard: "", at: "", level: "", text: raw };
  return { shard: head[1] ?? "", at: head[2] ?? "", level: head[3] ?? "", text: raw.slice(head[0].length) };
}

export function isGrave(level: string): boolean {
  return level === "ERROR" || level === "CRITICAL";
}

/** The position in front of the first line of a log, in the form of one of its positions. */
export function beginning(position: string): string {
  return position.split(":").length === 4 ? "0:0:1:0" : "1:0";
}

export interface Gap {
  kind: "missing" | "cut" | "full";
  shard: string;
  bytes: number;
  /** Of "full": why the log took no more. */
  why: string;
}

const GAPS: [Gap["kind"], RegExp][] = [
  ["missing", /^… (\d+) bytes of the log are missing here$/],
  ["cut", /^… (\d+) bytes are not kept; what follows is the end$/],
  ["full", /^… truncated: (.*); from here on only the end is kept$/],
];

/** What a line says about lines that are not there; null: it is a line like others. */
export function gapIn(raw: string): Gap | null {
  const [, shard = "", text = ""] = /^(?:#(\d+) )?(….*)$/.exec(raw) ?? [];
  for (const [kind, form] of GAPS) {
    const said = form.exec(text)?.[1];
    if (said === undefined) continue;
    return kind === "full"
      ? { kind, shard, bytes: 0, why: said }
      : { kind, shard, bytes: Number(said), why: "" };
  }
  return null;
}
