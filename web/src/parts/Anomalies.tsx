/// What of a job was not as it used to be: from when to when, and the sentence about it.
import type { AnomalyOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { JobLink } from "./links.tsx";
import { At } from "./Times.tsx";

/** `withJob`: of many jobs. Nothing when there are none. */
export function Anomalies({ of, withJob = true }: { of: AnomalyOut[]; withJob?: boolean }) {
  const say = useSay();
  if (of.length === 0) return null;
  return (
    <section className="part" aria-labelledby="anomalies">
      <h2 id="anomalies">{say("reports.anomalies")}</h2>
      <ul className="lines">
        {of.map((one) => (
          <li key={one.id}>
            {withJob && <JobLink job={{ name: one.job, namespace: one.namespace }} />}
            <span className="soft">
              <At iso={one.began_at} />
              {one.ended_at ? (
                <>
                  {" "}
                  – <At iso={one.ended_at} />
                </>
              ) : (
                ` · ${say("reports.goes_on")}`
              )}
            </span>
            <p className="raw">{one.message}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
