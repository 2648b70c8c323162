/// The run strip: a job's latest runs as bars of their durations, in the colours of their states.
import { type KeyboardEvent, useDeferredValue } from "react";
import type { StripOut } from "../api/types.ts";
import { runPath } from "../format/paths.ts";
import { toneOf } from "../format/states.ts";
import { duration } from "../format/time.ts";
import { isWord, useSay, useUnits } from "../words/say.ts";
import { useGo } from "./links.tsx";

const LEAST = 0.18;
/** A bar and the gap behind it, as in app.css. */
const BAR_PX = 5;
const GAP_PX = 2;

interface Props {
  strip: StripOut | null;
  isLong?: boolean;
  /** Out of sight at first: its bars come right behind the first picture, in the room that is kept for them. */
  isFar?: boolean;
}

export function Strip({ strip, isLong = false, isFar = false }: Props) {
  const say = useSay();
  const isDrawn = useDeferredValue(true, !isFar);
  const units = useUnits();
  const go = useGo();
  const runs = strip?.runs ?? [];
  if (runs.length === 0) return <span className="soft small">{say("strip.none")}</span>;
  if (!isDrawn) return <span className="strip" style={{ width: runs.length * (BAR_PX + GAP_PX) - GAP_PX }} />;
  const longest = Math.max(0.001, ...runs.map((run) => run.duration_s ?? 0));
  const good = runs.filter((run) => run.shown === "SUCCEEDED").length;
  const bad = runs.filter((run) => run.shown === "FAILED").length;
  return (
    <span
      onClick={go}
      onKeyDown={isLong ? toNeighbour : undefined}
      className={isLong ? "strip long" : "strip"}
      role="group"
      aria-label={say("strip.label", { count: runs.length, good, bad })}
    >
      {runs.map((run, index) => {
        const word = `state.${run.shown}`;
        const took = run.duration_s === null ? "" : ` · ${duration(run.duration_s, units)}`;
        const share = LEAST + (1 - LEAST) * Math.sqrt((run.duration_s ?? 0) / longest);
        return (
          // biome-ignore lint/a11y/useAnchorContent: its title is its name
          <a
            key={run.id}
            href={runPath(run.id)}
            tabIndex={isLong && index === runs.length - 1 ? 0 : -1}
            data-key={index === runs.length - 1 ? "l" : undefined} // the newest
            className={`plain bar-${toneOf(run.shown)}`}
            style={{ height: `${Math.round(share * 100)}%` }}
            title={`${run.id} · ${isWord(word) ? say(word) : run.shown}${took}`}
          />
        );
      })}
    </span>
  );
}

/** Arrows go from bar to bar. Tab comes to the newest one, where the strip stands alone: a list would have a stop a row more. */
function toNeighbour(event: KeyboardEvent<HTMLElement>): void {
  const here = event.target as HTMLElement;
  const to = { ArrowLeft: here.previousElementSibling, ArrowRight: here.nextElementSibling }[event.key];
  if (!(to instanceof HTMLElement)) return;
  event.preventDefault();
  to.focus();
}
