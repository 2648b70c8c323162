/// Each run as a dot: when it began, how long it took, how it ended. States differ by their shapes, too.
import { useQuery } from "@tanstack/react-query";
import { runDots } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { dotOf, type TimeRange } from "../format/figures.ts";
import { runPath } from "../format/paths.ts";
import { toneOf } from "../format/states.ts";
import { clockTime, duration } from "../format/time.ts";
import { isWord, useSay, useUnits } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";
import { RowLink } from "./links.tsx";
import { useNow, useZone } from "./settings.ts";
import { ChartFrame, type Range } from "./TimeChart.tsx";

interface Props {
  job: { namespace: string; name: string };
  range: Range;
  choose: (range: TimeRange) => void;
}

export function Scatter({ job, range, choose }: Props) {
  const query = useQuery(runDots(job.namespace, job.name, range.from_at, range.to_at));
  return (
    <Loaded query={query} rows={2}>
      {(found) => (
        <Dots runs={found.items} isCut={found.next_cursor !== null} range={range} choose={choose} />
      )}
    </Loaded>
  );
}

interface DotsProps {
  runs: RunOut[];
  isCut: boolean;
  range: Range;
  choose: (range: TimeRange) => void;
}

function Dots({ runs, isCut, range, choose }: DotsProps) {
  const say = useSay();
  const units = useUnits();
  const zone = useZone();
  const now = useNow();
  const box = { fromMs: Date.parse(range.from_at), toMs: Date.parse(range.to_at) };
  const over = runs.flatMap((run) =>
    run.started_at !== null && run.duration_s !== null
      ? [{ run, startedMs: Date.parse(run.started_at), seconds: run.duration_s }]
      : [],
  );
  const top = Math.max(0, ...over.map(({ seconds }) => seconds));
  const legend = isCut && (
    <span className="soft small">{say("stats.scatter_cut", { count: runs.length })}</span>
  );
  return (
    <ChartFrame
      title={say("stats.scatter")}
      range={range}
      top={duration(top, units)}
      legend={legend}
      choose={choose}
    >
      <div className="scatter" role="group" aria-label={say("stats.scatter")}>
        {over.map(({ run, startedMs, seconds }) => {
          const { x, y } = dotOf(startedMs, seconds, top, box);
          const word = `state.${run.shown}`;
          const parts = [run.id, clockTime(run.started_at ?? "", zone, now), duration(seconds, units)];
          return (
            <RowLink
              key={run.id}
              to={runPath(run.id)}
              tabIndex={-1}
              className={`plain dot bar-${toneOf(run.shown)}`}
              style={{ left: `${100 * x}%`, bottom: `${100 * y}%` }}
              title={[...parts, isWord(word) ? say(word) : run.shown].join(" · ")}
            />
          );
        })}
      </div>
    </ChartFrame>
  );
}
