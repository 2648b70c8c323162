/// The lines of a log as rows: of a traceback one frame is shown, the others are folded into a row of their own.
interface Positioned {
  text: string;
  position: string;
}

export interface Fold {
  /** The position of the first line in it: what it is opened by. */
  at: string;
  frames: number;
  isOpen: boolean;
}

export type LogRow<T> = { line: T; fold?: undefined } | { fold: Fold; line?: undefined };

const FOLDED_MIN = 2; // frames; one alone takes no more room than the row in its place
const SHARD = /^#\d+ /;
const FRAME = /^\s+(?:File ".*", line \d+|at )/;
const NEWEST_FIRST = /^\s+at /; // Java, JavaScript: the place of the error stands first; in Python last

/** `open`: folds that were opened, by their `at`. One that holds the line that is `aimed` at is open, too. */
export function rowsOf<T extends Positioned>(
  lines: readonly T[],
  open: ReadonlySet<string>,
  aimed: string,
): LogRow<T>[] {
  const rows: LogRow<T>[] = [];
  const show = (from: number, to: number) => {
    for (const line of lines.slice(from, to)) rows.push({ line });
  };
  for (let at = 0; at < lines.length; ) {
    const end = isFrame(lines[at]) ? endOfTrace(lines, at) : at + 1;
    const frames = framesIn(lines, at, end);
    const folded = frames.length - 1;
    if (folded < FOLDED_MIN) {
      show(at, end);
      at = end;
      continue;
    }
    const isNewestFirst = NEWEST_FIRST.test(bare(lines[at]));
    const from = isNewestFirst ? (frames[1] ?? end) : at;
    const to = isNewestFirst ? end : (frames.at(-1) ?? end);
    const place = lines[from]?.position ?? "";
    const hidden = lines.slice(from, to);
    const isOpen = open.has(place) || (aimed !== "" && hidden.some((line) => line.position === aimed));
    show(at, from);
    rows.push({ fold: { at: place, frames: folded, isOpen } });
    if (isOpen) show(from, to);
    show(to, end);
    at = end;
  }
  return rows;
}

/** Without the shard in front. */
function bare(line: Positioned | undefined): string {
  return line?.text.replace(SHARD, "") ?? "";
}

function isFrame(line: Positioned | undefined): boolean {
  const first = line?.text[0];
  const mayBe = first === " " || first === "\t" || first === "#"; // looked at for each of many lines
  return mayBe && FRAME.test(bare(line));
}

/** Behind the last line that is indented, as frames and what they show of their code are. */
function endOfTrace(lines: readonly Positioned[], from: number): number {
  const shard = shardOf(lines[from]);
  let at = from + 1;
  while (at < lines.length && shardOf(lines[at]) === shard && /^\s/.test(bare(lines[at]))) at++;
  return at;
}

function shardOf(line: Positioned | undefined): string {
  return SHARD.exec(line?.text ?? "")?.[0] ?? "";
}

function framesIn(lines: readonly Positioned[], from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at++) if (isFrame(lines[at])) found.push(at);
  return found;
}
