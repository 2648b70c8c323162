/// A run's log: live while it runs, only the lines in sight are drawn, at its tail until the user scrolls up.
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { addressOf, call, ProblemError, stream } from "../api/call.ts";
import { readEvents } from "../api/sse.ts";
import type { RunOut } from "../api/types.ts";
import { isGrave, readLine } from "../format/logLine.ts";
import { exactTime } from "../format/time.ts";
import { isOver } from "../live/changes.ts";
import { seen, whileSeen } from "../live/seen.ts";
import { ToldLines } from "../live/told.ts";
import { useSay } from "../words/say.ts";
import { ProblemBox } from "./Problem.tsx";
import { useZone } from "./settings.ts";

const TAIL = 2000;
const KEPT_MAX = 20_000;
const LINE_PX = 20;
const AGAIN_MS = 2000;
const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"];

interface LogProps {
  run: RunOut;
  /** Of a run with shards: the number of the one whose lines are shown, or "" for all; and how it is changed. */
  shards?: { shown: string; show: (shard: string) => void } | undefined;
}

export function Log({ run, shards }: LogProps) {
  const say = useSay();
  const [level, setLevel] = useState("");
  const [grep, setGrep] = useState("");
  const [isFollowing, setFollowing] = useState(true);
  const wanted = useDeferredValue(grep);
  const shard = shards?.shown ? Number(shards.shown) : null;
  const { lines, error, isBroken, isRead, earlier } = useLines(run.id, level, wanted, shard);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 30,
  });

  useEffect(() => {
    const element = box.current;
    if (isFollowing && element && lines.length > 0) element.scrollTop = element.scrollHeight;
  }, [lines, isFollowing]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 2 * LINE_PX;
    if (isAtEnd !== isFollowing) setFollowing(isAtEnd);
  };

  const whole = addressOf("get_run_logs", { path: { run: run.id } });
  return (
    <>
      <div className="filters">
        {shards && (
          <TextInput
            w={110}
            inputMode="numeric"
            aria-label={say("log.shard")}
            placeholder={say("log.all_shards")}
            value={shards.shown}
            onChange={(event) => shards.show(event.currentTarget.value.replace(/\D/g, "").slice(0, 4))}
          />
        )}
        <NativeSelect
          aria-label={say("log.level")}
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value)}
          data={[
            { value: "", label: say("log.all_levels") },
            ...LEVELS.slice(1).map((one) => ({ value: one, label: say("log.level_from", { level: one }) })),
          ]}
        />
        <TextInput
          className="wide"
          aria-label={say("log.grep")}
          placeholder={say("log.grep")}
          value={grep}
          onChange={(event) => setGrep(event.currentTarget.value)}
        />
        <Checkbox
          label={say("log.follow")}
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
        <Button
          component="a"
          href={whole}
          target="_blank"
          rel="noreferrer"
          variant="default"
          size="compact-sm"
        >
          {say("log.download")}
        </Button>
      </div>
      {error && <ProblemBox error={error} />}
      {isBroken && <p className="soft small">{say("log.broke")}</p>}
      {earlier && (
        <p className="row soft small">
          {say("log.only_tail", { count: lines.length })}
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
        </p>
      )}
      <div
        ref={box}
        className="log"
        onScroll={onScroll}
        role="log"
        aria-label={say("log.label")}
        tabIndex={0}
      >
        {lines.length === 0 && isRead && (
          <p className="soft" style={{ padding: "8px 12px", margin: 0 }}>
            {say(emptyWord(run))}
          </p>
        )}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => (
            <Line key={item.key} raw={lines[item.index] ?? ""} top={item.start} />
          ))}
        </div>
      </div>
    </>
  );
}

function emptyWord(run: RunOut): "log.empty" | "log.empty_over" | "log.empty_waiting" {
  if (isOver(run.state)) return "log.empty_over";
  return run.state === "PENDING" ? "log.empty_waiting" : "log.empty";
}

function Line({ raw, top }: { raw: string; top: number }) {
  const zone = useZone();
  const line = readLine(raw);
  const tone = isGrave(line.level) ? " grave" : line.level === "WARNING" ? " warn" : "";
  return (
    <div
      className={`line${tone}`}
      style={{ transform: `translateY(${top}px)`, height: LINE_PX }}
      translate="no"
    >
      {line.shard && <span className="at">#{line.shard} </span>}
      {line.at && <span className="at">{exactTime(line.at, zone).slice(11, 23)} </span>}
      {line.level && `${line.level.padEnd(8)}`}
      {line.text}
    </div>
  );
}

/** The lines of a log as they come. A stream that breaks goes on behind the last line that was read. */
function useLines(id: string, level: string, grep: string, shard: number | null) {
  const [lines, setLines] = useState<string[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [isRead, setRead] = useState(false);
  const [first, setFirst] = useState<string | null>(null); // the position of the first line; "": it begins the log

  useEffect(() => {
    const end = new AbortController();
    const told = new ToldLines();
    let timer: ReturnType<typeof setTimeout> | undefined;
    setLines([]);
    setError(null);
    setRead(false);
    setFirst(null);

    const read = async (signal: AbortSignal) => {
      let isOverNow = false;
      const query = { follow: true, ...(told.last ? {} : { tail: TAIL }), level, grep, shard };
      const headers: Record<string, string> = told.last ? { "Last-Event-ID": told.last } : {};
      const body = await stream("get_run_logs", { path: { run: id }, query, headers, signal });
      setBroken(false);
      setTimeout(() => setRead(true), 300);
      await readEvents(body, (events) => {
        const fresh: string[] = [];
        for (const event of events) {
          if (event.name === "end") isOverNow = true;
          else if (event.name === "message" && !told.isRepeated(event.id)) {
            if (event.id) setFirst((known) => known ?? event.id);
            fresh.push(event.data);
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
  }, [id, level, grep, shard]);

  const readEarlier = async () => {
    try {
      const query = { before: first ?? "", level, grep, shard, limit: TAIL };
      const found = await call("get_run_lines", { path: { run: id }, query });
      setLines((after) => [...found.items.map((line) => line.text), ...after]);
      setFirst(found.is_begin ? "" : (found.search_on ?? found.items[0]?.position ?? ""));
    } catch (failed) {
      setError(failed as Error);
    }
  };
  const mayHaveMore = first !== null && first !== "" && lines.length >= TAIL && lines.length < KEPT_MAX;
  return { lines, error, isBroken, isRead, earlier: mayHaveMore ? readEarlier : null };
}
