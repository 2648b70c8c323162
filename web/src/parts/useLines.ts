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
const OPEN_MS = 300;

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

/** What is being read, and how it goes on as a stream behind the last line. */
interface Reading {
  told: ToldLines;
  goOn: () => void;
}

/** `line`: begin around it. When it is among the lines already, or is taken back, nothing is read anew but the tail. */
export function useLines(id: string, { level, grep, shard, attempt }: Wanted, line: string) {
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [isOpen, setOpen] = useState(false); // the stream is there, and had the time to bring what there is
  const [isRead, setRead] = useState(false); // all that there is
  const [first, setFirst] = useState<string | null>(null); // the position of the first line; "": it begins the log
  const [next, setNext] = useState(""); // behind which line more stand; "": all that there is comes by itself
  const [isPart, setPart] = useState(false); // lines around one, and the end was not reached: no stream goes on
  const [around, setAround] = useState(line);
  const reading = useRef<Reading | null>(null);
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
    setOpen(false);
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
      setOpen(true);
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
      setTimeout(() => !signal.aborted && setOpen(true), OPEN_MS);
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
    const goOn = () => {
      isWhole = true;
      void keepReading();
    };
    reading.current = { told, goOn };
    void keepReading();
    return () => {
      reading.current = null;
      end.abort();
      clearTimeout(timer);
    };
  }, [id, level, grep, shard, attempt, around]);

  const readMore = async (which: "before" | "after") => {
    const { current } = reading;
    if (current === null) return;
    try {
      const query = { [which]: (which === "before" ? first : next) ?? "", level, grep, shard, attempt };
      const found = await call("get_run_lines", { path: { run: id }, query: { ...query, limit: TAIL } });
      if (reading.current !== current) return; // other lines are wanted meanwhile
      if (which === "before") {
        setLines((after) => [...found.items, ...after]);
        setFirst(found.is_begin ? "" : (found.search_on ?? found.items[0]?.position ?? ""));
      } else {
        const fresh = found.items.filter(({ position }) => !current.told.isRepeated(position));
        setLines((before) => [...before, ...fresh]);
        setNext(found.is_end ? "" : (found.search_on ?? found.items.at(-1)?.position ?? ""));
        if (!found.is_end) return;
        setPart(false);
        current.goOn(); // what is written from now on comes by itself
      }
    } catch (failed) {
      if (reading.current === current) setError(failed as Error);
    }
  };
  const hasRoom = lines.length < KEPT_MAX;
  const isTail = around === "";
  const mayHaveMore = first !== null && first !== "" && (!isTail || lines.length >= TAIL) && hasRoom;
  return {
    lines,
    error,
    isBroken,
    isOpen,
    isRead,
    /** Lines stand behind these, and do not come by themselves. */
    isPart: next !== "",
    /** As many as a page holds: no more can be added. */
    isFull: !hasRoom,
    earlier: mayHaveMore ? () => readMore("before") : null,
    later: next !== "" && hasRoom ? () => readMore("after") : null,
  };
}
