/// How runs ended, step by step: bars of succeeded, failed and cancelled.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RangeStats } from "../api/stats.ts";
import { STEP_MS, stepAt, type TimeRange } from "../format/figures.ts";
import { toneOf } from "../format/states.ts";
import { clockTime, count } from "../format/time.ts";
import { isWord, type Say, useSay } from "../words/say.ts";
import { Fold } from "./Fold.tsx";
import { ListTable } from "./ListTable.tsx";
import { useNow, useZone } from "./settings.ts";
import { BarChart } from "./TimeChart.tsx";
import { At } from "./Times.tsx";

const OUTCOMES = ["SUCCEEDED", "FAILED", "CANCELLED"] as const;

interface Props {
  found: RangeStats;
  choose?: (range: TimeRange) => void;
  press?: (atMs: number) => void;
}

export function OutcomeChart({ found, choose, press }: Props) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const bars = found.points.map((point) => {
    const parts = [point.succeeded, point.failed, point.cancelled];
    const words = OUTCOMES.flatMap((outcome, index) =>
      parts[index] ? [`${say(`state.${outcome}`)} ${count(parts[index])}`] : [],
    );
    return { start: point.start, parts, says: [clockTime(point.start, zone, now), ...words].join(" · ") };
  });
  return (
    <BarChart
      title={say(`stats.per_${found.step}`)}
      range={found}
      tones={OUTCOMES.map(toneOf)}
      bars={bars}
      legend={null}
      top={count}
      choose={choose}
      press={press}
    />
  );
}

/** How many ended in each way, with the kind of failures. */
export function OutcomeCounts({
  outcomes,
  children,
}: {
  outcomes: RangeStats["outcomes"];
  children?: ReactNode;
}) {
  const say = useSay();
  return (
    <p className="facts">
      {Object.entries(outcomes).map(([outcome, number]) => (
        <span key={outcome}>
          <i className={`dot bar-${toneOf(outcome.split(":")[0] ?? "")}`} aria-hidden="true" />{" "}
          {wordOf(say, outcome)} <b>{count(number)}</b>
        </span>
      ))}
      {children}
    </p>
  );
}

const HEADS = [
  "stats.start",
  ...OUTCOMES.map((outcome) => ({ word: `state.${outcome}`, isRight: true }) as const),
] as const;

/** The figures of the chart, newest first: each step leads to its runs. */
export function OutcomeTable({ found }: { found: RangeStats }) {
  const say = useSay();
  return (
    <Fold says={say("stats.as_table")}>
      {() => (
        <ListTable label={say(`stats.per_${found.step}`)} heads={[...HEADS]}>
          {found.points.toReversed().map((point) => {
            const { from, to } = stepAt(Date.parse(point.start), STEP_MS[found.step]);
            return (
              <tr key={point.start}>
                <td className="first">
                  <Link to="/runs" search={{ ended_since: from, ended_until: to }}>
                    <At iso={point.start} />
                  </Link>
                </td>
                {[point.succeeded, point.failed, point.cancelled].map((number, index) => (
                  <td key={index} className="right" data-label={say(`state.${OUTCOMES[index] ?? "FAILED"}`)}>
                    {count(number)}
                  </td>
                ))}
              </tr>
            );
          })}
        </ListTable>
      )}
    </Fold>
  );
}

/** `FAILED:timeout` has its kind in its word. */
function wordOf(say: Say, outcome: string): string {
  const [state = "", kind = ""] = outcome.split(":");
  const words = [`state.${state}`, `kind.${kind}`].filter(isWord).map((word) => say(word));
  return words.length > 0 ? words.join(" · ") : outcome.toLowerCase();
}
