/// A run's log: live while it runs, only the lines in sight are drawn, at its tail until the user scrolls up, or at the
/// line that the address names. Keys go from line to line.
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { addressOf } from "../api/call.ts";
import type { RunOut } from "../api/types.ts";
import { emptyWord } from "../format/logEmpty.ts";
import { rowByKey } from "../format/logKeys.ts";
import { gapIn, isGrave, readLine } from "../format/logLine.ts";
import { type Fold, type LogRow, rowsOf } from "../format/logRows.ts";
import { isPlainPress } from "../format/paths.ts";
import { count, exactTime } from "../format/time.ts";
import { isOver } from "../live/changes.ts";
import { useSay } from "../words/say.ts";
import { FilterText } from "./FilterText.tsx";
import { ProblemBox } from "./Problem.tsx";
import { useZone } from "./settings.ts";
import { Since } from "./Times.tsx";
import { useAlone } from "./useAlone.ts";
import { type LogLine, useLines } from "./useLines.ts";

const LINE_PX = 20;
const LEVELS = ["INFO", "WARNING", "ERROR"];
const GREP_MAX = 200; // what the server takes

/** What of the log the address names. */
export interface LogLook {
  /** The position of a line that is aimed at. */
  line: string;
  shard: string;
  attempt: string;
  level: string;
  grep: string;
}

interface LogProps {
  run: RunOut;
  hasShards: boolean;
  look: LogLook;
  set: (change: Partial<LogLook>) => void;
}

export function Log({ run, hasShards, look, set }: LogProps) {
  const say = useSay();
  const { line, shard, attempt, level, grep } = look;
  const [isFollowing, setFollowing] = useState(line === "");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [isFull, setFull] = useState(false);
  const whole = useRef<HTMLElement>(null);
  useAlone(whole, isFull);
  const wanted = { level, grep, shard: numbered(shard), attempt: numbered(attempt) };
  const found = useLines(run.id, wanted, line);
  const { lines, error, isBroken, earlier, later } = found;
  const rows = useMemo(() => rowsOf(lines, opened, line), [lines, opened, line]);
  const box = useRef<HTMLDivElement>(null);
  // The one row that Tab goes to, by what it shows: lines come in front of it, and folds above it open.
  const [chosen, setChosen] = useState("");
  const stopAt = useMemo(
    () => (chosen === "" ? -1 : rows.findIndex((row) => markOf(row) === chosen)),
    [rows, chosen],
  );
  const stop = isStopAt(rows[stopAt]) ? stopAt : null;
  const keyOf = useCallback((index: number) => markOf(rows[index]) || index, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    getItemKey: keyOf,
    overscan: 30,
    // The row with the focus is drawn wherever the others are: the focus is not lost.
    rangeExtractor: (range) => {
      const drawn = defaultRangeExtractor(range);
      if (stop === null || drawn.includes(stop)) return drawn;
      return [...drawn, stop].sort((one, other) => one - other);
    },
  });

  useEffect(() => {
    const element = box.current;
    if (isFollowing && element && lines.length > 0) element.scrollTop = element.scrollHeight;
  }, [lines, isFollowing]);

  // Once for each line that is aimed at: what comes in later does not take the reader back to it.
  const aimed = useRef("");
  useEffect(() => {
    if (aimed.current === line) return;
    const at = rows.findIndex((row) => row.line?.position === line);
    if (line !== "" && at < 0) return;
    aimed.current = line;
    if (line === "") return;
    setFollowing(false);
    virtual.scrollToIndex(at, { align: "center" });
  }, [rows, line, virtual]);

  // Lines that come in between a scroll and its event are no reader who went up.
  const top = useRef(0);
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const isUp = element.scrollTop < top.current;
    top.current = element.scrollTop;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 2 * LINE_PX;
    if (isAtEnd !== isFollowing && (isAtEnd || isUp)) setFollowing(isAtEnd);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
    const isInRow = event.target !== box.current;
    const to = rowByKey(
      isInRow ? stop : null,
      event.key,
      rows.length,
      { first: startIndex, last: endIndex },
      (row) => isStopAt(rows[row]),
    );
    if (to === null) return;
    event.preventDefault();
    setFollowing(false);
    setChosen(markOf(rows[to]));
    virtual.scrollToIndex(to, { align: "auto" });
    moved.current = true;
  };
  // The row may be drawn only now.
  const moved = useRef(false);
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    box.current?.querySelector<HTMLElement>(`[data-row="${stop}"]`)?.focus({ preventScroll: true });
  });
  const toEnd = () => {
    setFollowing(true);
    set({ line: "" });
  };
  const toggle = (place: string) =>
    setOpened(
      (before) =>
        new Set(before.has(place) ? [...before].filter((one) => one !== place) : [...before, place]),
    );

  const isEmpty = found.isRead || (found.isOpen && !isOver(run.state));
  return (
    <section
      ref={whole}
      className={isFull ? "logfull" : undefined}
      aria-label={say("run.tab_log")}
      onKeyDown={(event) => event.key === "Escape" && setFull(false)}
    >
      <div className="filters">
        {hasShards && (
          <TextInput
            w={110}
            inputMode="numeric"
            aria-label={say("log.shard")}
            placeholder={say("log.all_shards")}
            value={shard}
            onChange={(event) => set({ shard: event.currentTarget.value.replace(/\D/g, "").slice(0, 4) })}
          />
        )}
        {!hasShards && run.attempt > 1 && (
          <NativeSelect
            aria-label={say("log.attempt")}
            value={attempt}
            onChange={(event) => set({ attempt: event.currentTarget.value })}
            data={[
              { value: "", label: say("log.all_attempts") },
              ...Array.from({ length: run.attempt }, (_, before) => ({
                value: String(before + 1),
                label: say("run.attempt", { attempt: before + 1 }),
              })),
            ]}
          />
        )}
        <NativeSelect
          aria-label={say("log.level")}
          value={level}
          onChange={(event) => set({ level: event.currentTarget.value })}
          data={[
            { value: "", label: say("log.all_levels") },
            ...LEVELS.map((one) => ({ value: one, label: say("log.level_from", { level: one }) })),
          ]}
        />
        <FilterText value={grep} set={(text) => set({ grep: text })} hint={say("log.grep")} max={GREP_MAX} />
        <Checkbox
          label={say("log.follow")}
          checked={isFollowing}
          onChange={(event) => (event.currentTarget.checked ? toEnd() : setFollowing(false))}
        />
        <Button
          component="a"
          href={addressOf("get_run_logs", { path: { run: run.id } })}
          target="_blank"
          rel="noreferrer"
          variant="default"
          size="compact-sm"
        >
          {say("log.download")}
        </Button>
        <Button variant="default" size="compact-sm" aria-pressed={isFull} onClick={() => setFull(!isFull)}>
          {say(isFull ? "log.not_full" : "log.full")}
        </Button>
      </div>
      {error && <ProblemBox error={error} />}
      {isBroken && <p className="soft small">{say("log.broke")}</p>}
      {(earlier || found.isPart || found.isFull) && (
        <p className="row soft small">
          {say(found.isPart ? "log.only_part" : "log.only_tail", { count: lines.length })}
          {earlier && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                setFollowing(false);
                void earlier();
              }}
            >
              {say("log.earlier")}
            </Button>
          )}
          {later && (
            <Button size="compact-xs" variant="default" onClick={() => void later()}>
              {say("log.later")}
            </Button>
          )}
          {found.isPart && (
            <Button size="compact-xs" variant="default" onClick={toEnd}>
              {say("log.to_end")}
            </Button>
          )}
        </p>
      )}
      <div
        ref={box}
        className="log"
        onScroll={onScroll}
        role="log"
        data-key="l"
        aria-label={say("log.label")}
        tabIndex={stop === null ? 0 : -1}
        onKeyDown={onKey}
      >
        {lines.length === 0 && isEmpty && <Empty run={run} look={look} hasShards={hasShards} />}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            const at = {
              row: item.index,
              isStop: item.index === stop,
              onFocus: () => setChosen(markOf(row)),
            };
            if (row?.fold)
              return <Folded key={item.key} at={at} fold={row.fold} top={item.start} toggle={toggle} />;
            if (!row) return null;
            return (
              <Line
                key={item.key}
                at={at}
                line={row.line}
                top={item.start}
                isAimed={row.line.position !== "" && row.line.position === line}
                aim={(position) => set({ line: position })}
              />
            );
          })}
        </div>
      </div>
    </section>
  );
}

function numbered(written: string): number | null {
  return written === "" ? null : Number(written);
}

function Empty({ run, look, hasShards }: Pick<LogProps, "run" | "look" | "hasShards">) {
  const say = useSay();
  const { level, grep, shard, attempt } = look;
  const isFiltered = [level, grep, shard, attempt].some((one) => one !== "");
  const word = emptyWord(run, { hasShards, isFiltered });
  const since = run.attempt_started_at ?? run.started_at;
  return (
    <p className="soft" style={{ padding: "8px 12px", margin: 0 }}>
      {say(word, { node: run.node ?? "" })} {word === "log.empty_on" && since && <Since iso={since} />}
    </p>
  );
}

/** A place among the rows; `isStop`: Tab goes to it. */
interface Place {
  row: number;
  isStop: boolean;
  onFocus: () => void;
}

/** What no other row has and this one keeps, wherever it stands; "" for what has no position. */
function markOf(row: LogRow<LogLine> | undefined): string {
  if (row === undefined) return "";
  return row.fold ? `fold ${row.fold.at}` : row.line.position;
}

/** Whether keys stop at a row: there is a link in it, or a fold to open. */
function isStopAt(row: LogRow<LogLine> | undefined): boolean {
  return row !== undefined && (row.fold !== undefined || gapIn(row.line.text) === null);
}

interface FoldedProps {
  at: Place;
  fold: Fold;
  top: number;
  toggle: (at: string) => void;
}

/** Frames of a traceback, as one row that shows them. */
function Folded({ at, fold, top, toggle }: FoldedProps) {
  const say = useSay();
  return (
    <button
      type="button"
      className="line fold"
      data-row={at.row}
      tabIndex={at.isStop ? 0 : -1}
      onFocus={at.onFocus}
      aria-expanded={fold.isOpen}
      style={{ transform: `translateY(${top}px)`, height: LINE_PX }}
      onClick={() => toggle(fold.at)}
    >
      {fold.isOpen ? "▾" : "▸"} {say("log.frames", { count: fold.frames })}
    </button>
  );
}

interface LineProps {
  at: Place;
  line: LogLine;
  top: number;
  isAimed: boolean;
  aim: (position: string) => void;
}

function Line({ at, line: { text, position }, top, isAimed, aim }: LineProps) {
  const say = useSay();
  const zone = useZone();
  const line = readLine(text);
  const gap = gapIn(text);
  if (gap) {
    return (
      <div className="line gap" style={{ transform: `translateY(${top}px)`, height: LINE_PX }}>
        {gap.shard && `#${gap.shard} `}
        {say(`gap.${gap.kind}`, { bytes: count(gap.bytes), why: gap.why })}
      </div>
    );
  }
  const tone = isGrave(line.level) ? " grave" : line.level === "WARNING" ? " warn" : "";
  const shown = line.at ? exactTime(line.at, zone).slice(11, 23) : "·";
  const press = (event: MouseEvent) => {
    if (!isPlainPress(event)) return;
    event.preventDefault();
    aim(position);
  };
  return (
    <div
      className={`line${tone}${isAimed ? " aimed" : ""}`}
      aria-current={isAimed ? "true" : undefined}
      style={{ transform: `translateY(${top}px)`, height: LINE_PX }}
      translate="no"
    >
      {line.shard && <span className="at">#{line.shard} </span>}
      <a
        className="at"
        href={`?line=${encodeURIComponent(position)}`}
        title={say("log.link")}
        aria-label={at.isStop ? `${shown} ${line.level} ${line.text}` : undefined}
        data-row={at.row}
        tabIndex={at.isStop ? 0 : -1}
        onFocus={at.onFocus}
        onClick={press}
      >
        {shown}
      </a>{" "}
      {line.level && `${line.level.padEnd(8)}`}
      {line.text}
    </div>
  );
}
