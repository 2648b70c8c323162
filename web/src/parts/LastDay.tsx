/// How runs of the last day ended, as a chart and as a table, and how long they waited for their start.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { clusterStats } from "../api/queries.ts";
import type { RangeStats } from "../api/stats.ts";
import { STEP_MS, stepAt, type TimeRange } from "../format/figures.ts";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";
import { OutcomeChart, OutcomeCounts, OutcomeTable } from "./Outcomes.tsx";
import { Took } from "./Times.tsx";

/** Runs that ended in a second, on average over the range. */
function rateOf({ runs, from_at, to_at }: RangeStats): string {
  const seconds = Math.max(1, (Date.parse(to_at) - Date.parse(from_at)) / 1000);
  return (runs / seconds).toFixed(runs >= seconds ? 0 : 2);
}

/** A stroke or a press leads to the runs of that time. */
export function LastDay() {
  const say = useSay();
  const navigate = useNavigate();
  const query = useQuery(clusterStats("24h"));
  const open = ({ from, to }: TimeRange) =>
    void navigate({ to: "/runs", search: { since: from, until: to } });
  return (
    <Loaded query={query} rows={3}>
      {(found) => {
        if (found.runs === 0) return <p className="soft">{say("stats.none")}</p>;
        const delay = found.queue_delay_s;
        return (
          <>
            <OutcomeCounts outcomes={found.outcomes} />
            <OutcomeChart
              found={found}
              choose={open}
              press={(atMs) => open(stepAt(atMs, STEP_MS[found.step]))}
            />
            <p className="facts">
              {delay &&
                (["p50", "p99"] as const).map((share) => (
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
          </>
        );
      }}
    </Loaded>
  );
}
