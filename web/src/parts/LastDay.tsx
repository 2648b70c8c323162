/// How runs of the last day ended, how long they waited for their start, how often instants were decided: as charts and
/// as tables.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { clusterStats } from "../api/queries.ts";
import type { RangeStats } from "../api/stats.ts";
import type { NodeStatsOut } from "../api/types.ts";
import { STEP_MS, stepAt, type TimeRange } from "../format/figures.ts";
import { count, duration } from "../format/time.ts";
import { useSay, useUnits } from "../words/say.ts";
import { FireChart, FireTable } from "./FireChart.tsx";
import { Loaded } from "./Loaded.tsx";
import { OutcomeChart, OutcomeCounts, OutcomeTable } from "./Outcomes.tsx";
import { LineChart } from "./TimeChart.tsx";
import { Took } from "./Times.tsx";

/** Runs that ended in a second, on average over the range. */
function rateOf({ runs, from_at, to_at }: RangeStats): string {
  const seconds = Math.max(1, (Date.parse(to_at) - Date.parse(from_at)) / 1000);
  return (runs / seconds).toFixed(runs >= seconds ? 0 : 2);
}

const DELAYS = ["p50", "p99"] as const;
const FIRES = ["scheduled", "skipped"] as const;

/** Instants that got no run, as a link to them. */
function Skipped({ found }: { found: NodeStatsOut }) {
  const say = useSay();
  const skipped = found.load?.skipped ?? 0;
  if (skipped === 0) return null;
  return (
    <span>
      <i className="dot bar-idle" aria-hidden="true" />{" "}
      <Link to="/events" search={{ tab: "skips", span: "24h" }}>
        {say("stats.skipped")} <b>{count(skipped)}</b>
      </Link>
    </span>
  );
}

/** A stroke or a press leads to the runs of that time. */
export function LastDay() {
  const say = useSay();
  const navigate = useNavigate();
  const units = useUnits();
  const query = useQuery(clusterStats("24h"));
  const open = ({ from, to }: TimeRange) =>
    void navigate({ to: "/runs", search: { ended_since: from, ended_until: to } });
  return (
    <Loaded query={query} rows={3}>
      {(found) => {
        if (found.runs === 0) return <p className="soft">{say("stats.none")}</p>;
        const delay = found.queue_delay_s;
        return (
          <>
            <OutcomeCounts outcomes={found.outcomes}>
              <Skipped found={found} />
            </OutcomeCounts>
            <OutcomeChart
              found={found}
              choose={open}
              press={(atMs) => open(stepAt(atMs, STEP_MS[found.step]))}
            />
            <LineChart
              title={say("stats.delays")}
              range={found}
              lines={DELAYS.map((share) => ({
                name: say(`stats.${share}`),
                values: found.points.map(({ start, queue_delay_s }) => ({
                  start,
                  value: queue_delay_s?.[share] ?? null,
                })),
              }))}
              top={(seconds) => duration(seconds, units)}
              choose={open}
            />
            <FireChart found={found} tallies={FIRES} choose={open} />
            <p className="facts">
              {delay &&
                DELAYS.map((share) => (
                  <span key={share}>
                    {say("stats.waited", { share: say(`stats.${share}`) })}{" "}
                    <b>
                      <Took seconds={delay[share]} />
                    </b>
                  </span>
                ))}
              <span>
                {say("stats.rate")} <b>{rateOf(found)}</b>
              </span>
            </p>
            <OutcomeTable found={found} />
            <FireTable found={found} tallies={FIRES} />
          </>
        );
      }}
    </Loaded>
  );
}
