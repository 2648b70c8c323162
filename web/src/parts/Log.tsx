/// A run's log: live while it runs, only the lines in sight are drawn, at its tail until the user scrolls up, or at the
/// line that the address names.
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { addressOf } from "../api/call.ts";
import type { RunOut } from "../api/types.ts";
import { isGrave, readLine } from "../format/logLine.ts";
import { isPlainPress } from "../format/paths.ts";
import { exactTime } from "../format/time.ts";
import { isOver } from "../live/changes.ts";
import { useSay } from "../words/say.ts";
import { ProblemBox } from "./Problem.tsx";
import { useZone } from "./settings.ts";
import { type LogLine, useLines } from "./useLines.ts";

const LINE_PX = 20;
const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"];

interface LogProps {
  run: RunOut;
  /** Of a run with shards: the number of the one whose lines are shown, or "" for all; and how it is changed. */
  shards?: { shown: string; show: (shard: string) => void } | undefined;
  /** The position of the line that the address names, or ""; and how the address names another. */
  line: string;
  aim: (line: string) => void;
}

export function Log({ run, shards, line, aim }: LogProps) {
  const say = useSay();
  const [level, setLevel] = useState("");
  const [grep, setGrep] = useState("");
  const [attempt, setAttempt] = useState("");
  const [isFollowing, setFollowing] = useState(line === "");
  const text = useDeferredValue(grep);
  const shard = shards?.shown ? Number(shards.shown) : null;
  const wanted = { level, grep: text, shard, attempt: attempt === "" ? null : Number(attempt) };
  const { lines, error, isBroken, isRead, earlier, later } = useLines(run.id, wanted, line);
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

  // Once for each line that is aimed at: what comes in later does not take the reader back to it.
  const aimed = useRef("");
  useEffect(() => {
    if (aimed.current === line) return;
    const at = lines.findIndex((one) => one.position === line);
    if (line !== "" && at < 0) return;
    aimed.current = line;
    if (line === "") return;
    setFollowing(false);
    virtual.scrollToIndex(at, { align: "center" });
  }, [lines, line, virtual]);

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
        {!shards && run.attempt > 1 && (
          <NativeSelect
            aria-label={say("log.attempt")}
            value={attempt}
            onChange={(event) => setAttempt(event.currentTarget.value)}
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
          onChange={(event) => {
            setFollowing(event.currentTarget.checked);
            if (event.currentTarget.checked) aim("");
          }}
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
      {(earlier || later) && (
        <p className="row soft small">
          {say(later ? "log.only_part" : "log.only_tail", { count: lines.length })}
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
            <>
              <Button size="compact-xs" variant="default" onClick={() => void later()}>
                {say("log.later")}
              </Button>
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => {
                  setFollowing(true);
                  aim("");
                }}
              >
                {say("log.to_end")}
              </Button>
            </>
          )}
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
          {virtual.getVirtualItems().map((item) => {
            const one = lines[item.index];
            return (
              one && (
                <Line
                  key={item.key}
                  line={one}
                  top={item.start}
                  isAimed={one.position !== "" && one.position === line}
                  aim={aim}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

function emptyWord(run: RunOut): "log.empty" | "log.empty_over" | "log.empty_waiting" {
  if (isOver(run.state)) return "log.empty_over";
  return run.state === "PENDING" ? "log.empty_waiting" : "log.empty";
}

interface LineProps {
  line: LogLine;
  top: number;
  isAimed: boolean;
  aim: (position: string) => void;
}

function Line({ line: { text, position }, top, isAimed, aim }: LineProps) {
  const say = useSay();
  const zone = useZone();
  const line = readLine(text);
  const tone = isGrave(line.level) ? " grave" : line.level === "WARNING" ? " warn" : "";
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
        tabIndex={-1}
        onClick={press}
      >
        {line.at ? exactTime(line.at, zone).slice(11, 23) : "·"}
      </a>{" "}
      {line.level && `${line.level.padEnd(8)}`}
      {line.text}
    </div>
  );
}
