/// How runs of the last day ended, as a chart and as a table, and how long they waited for their start.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { clusterStats } from "../api/queries.ts";
import { STEP_MS, stepAt, type TimeRange } from "../format/figures.ts";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";
import { OutcomeChart, OutcomeCounts, OutcomeTable } from "./Outcomes.tsx";
import { Took } from "./Times.tsx";

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
            {delay && (
              <p className="facts">
                {(["p50", "p99"] as const).map((share) => (
                  <span key={share}>
                    {say("stats.waited", { share: say(`stats.${share}`) })}{" "}
                    <b>
                      <Took seconds={delay[share]} />
                    </b>
                  </span>
                ))}
              </p>
            )}
            <OutcomeTable found={found} />
          </>
        );
      }}
    </Loaded>
  );
}
