/// The lines of a log as they come. A stream that breaks goes on behind the last line that was read.
import { useEffect, useRef, useState } from "react";
import { call, ProblemError, stream } from "../api/call.ts";
import { readEvents } from "../api/sse.ts";
import { beginning } from "../format/logLine.ts";
import { seen, whileSeen } from "../live/seen.ts";
import { ToldLines } from "../live/told.ts";

const TAIL = 2000;
const BESIDE = 200; // lines in front of one that is aimed at
const KEPT_MAX = 20_000;
const AGAIN_MS = 2000;

export interface LogLine {
  text: string;
  /** Where the next line begins: what the address of a line has. */
  position: string;
}

export interface Wanted {
  level: string;
  grep: string;
  shard: number | null;
  attempt: number | null;
}

/** `line`: begin around it. When it is among the lines already, or is taken back, nothing is read anew but the tail. */
export function useLines(id: string, { level, grep, shard, attempt }: Wanted, line: string) {
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [isRead, setRead] = useState(false);
  const [first, setFirst] = useState<string | null>(null); // the position of the first line; "": it begins the log
  const [next, setNext] = useState(""); // behind which line more stand; "": all that there is comes by itself
  const [isPart, setPart] = useState(false); // lines around one, and the end was not reached: no stream goes on
  const [around, setAround] = useState(line);
  const latest = useRef({ lines, line });
  latest.current = { lines, line };

  useEffect(() => {
    const isShown = latest.current.lines.some((one) => one.position === line);
    if (line === "" ? isPart : !isShown) setAround(line);
  }, [line, isPart]);

  useEffect(() => {
    const end = new AbortController();
    const told = new ToldLines();
    const wanted = { level, grep, shard, attempt };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = latest.current.line === "" ? "" : around; // other filters lead to the tail when no line is aimed at
    let isWhole = start === "";
    setLines([]);
    setError(null);
    setRead(false);
    setFirst(null);
    setNext("");
    setPart(false);

    /** The lines in front of one, itself and those behind it: the stream goes on there when they reach the end. */
    const readAround = async (signal: AbortSignal) => {
      const path = { run: id };
      const query = { ...wanted, before: start, limit: BESIDE };
      const before = await call("get_run_lines", { path, query, signal });
      const from = before.items.at(-1)?.position ?? beginning(start);
      const behind = { ...wanted, after: from, limit: TAIL };
      const after = await call("get_run_lines", { path, query: behind, signal });
      const found = [...before.items, ...after.items];
      for (const { position } of found) told.isRepeated(position);
      setLines(found);
      setFirst(before.is_begin ? "" : (before.search_on ?? found[0]?.position ?? ""));
      setRead(true);
      isWhole = after.is_end;
      setPart(!isWhole);
      if (!isWhole) setNext(after.search_on ?? after.items.at(-1)?.position ?? "");
    };

    const read = async (signal: AbortSignal) => {
      if (!isWhole) await readAround(signal);
      if (!isWhole) return; // the reader asks for what stands behind
      let isOverNow = false;
      const query = { ...wanted, follow: true, ...(told.last ? {} : { tail: TAIL }) };
      const headers: Record<string, string> = told.last ? { "Last-Event-ID": told.last } : {};
      const body = await stream("get_run_logs", { path: { run: id }, query, headers, signal });
      setBroken(false);
      setTimeout(() => setRead(true), 300);
      await readEvents(body, (events) => {
        const fresh: LogLine[] = [];
        for (const event of events) {
          if (event.name === "end") isOverNow = true;
          else if (event.name === "message" && !told.isRepeated(event.id)) {
            if (event.id) setFirst((before) => before ?? event.id);
            fresh.push({ text: event.data, position: event.id });
          }
        }
        if (fresh.length > 0) setLines((before) => [...before, ...fresh].slice(-KEPT_MAX));
      });
      setRead(true);
      if (!isOverNow) throw new ProblemError(0, {});
    };

    const keepReading = async () => {
      await seen(end.signal);
      if (end.signal.aborted) return;
      try {
        if ((await whileSeen(end.signal, read)) === "hidden") void keepReading();
      } catch (failed) {
        if (end.signal.aborted) return;
        const isRefused = failed instanceof ProblemError && failed.status >= 400 && failed.status < 500;
        if (isRefused) {
          setError(failed as ProblemError);
          return;
        }
        setBroken(true);
        timer = setTimeout(() => void keepReading(), AGAIN_MS);
      }
    };
    void keepReading();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [id, level, grep, shard, attempt, around]);

  const readMore = async (which: "before" | "after") => {
    try {
      const query = { [which]: (which === "before" ? first : next) ?? "", level, grep, shard, attempt };
      const found = await call("get_run_lines", { path: { run: id }, query: { ...query, limit: TAIL } });
      if (which === "before") {
        setLines((after) => [...found.items, ...after]);
        setFirst(found.is_begin ? "" : (found.search_on ?? found.items[0]?.position ?? ""));
      } else {
        setLines((before) => [...before, ...found.items]);
        setNext(found.is_end ? "" : (found.search_on ?? found.items.at(-1)?.position ?? ""));
      }
    } catch (failed) {
      setError(failed as Error);
    }
  };
  const hasRoom = lines.length < KEPT_MAX;
  const isTail = around === "";
  const mayHaveMore = first !== null && first !== "" && (!isTail || lines.length >= TAIL) && hasRoom;
  return {
    lines,
    error,
    isBroken,
    isRead,
    earlier: mayHaveMore ? () => readMore("before") : null,
    later: next !== "" && hasRoom ? () => readMore("after") : null,
  };
}
