/// The alerts of one job: what fires and what is over, and what its own definition alerts about.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { alerts, OPEN, OVER } from "../api/alerts.ts";
import type { JobOut } from "../api/types.ts";
import { AlertLine } from "../parts/AlertLine.tsx";
import { Pages } from "../parts/Pages.tsx";
import { useSay } from "../words/say.ts";

export function JobAlerts({ job }: { job: JobOut }) {
  const say = useSay();
  const wanted = { job: job.name, namespace: job.namespace, state: `${OPEN},${OVER}` };
  const query = useInfiniteQuery(alerts(wanted));
  return (
    <>
      <p className="soft">
        {job.alerting ? (
          <>
            {say("job.alerting")} <span className="raw">{job.alerting}</span>
          </>
        ) : (
          say("job.no_alerting")
        )}{" "}
        <Link to="/alerts" search={{ tab: "rules" }} className="accented">
          {say("alerts.tab_rules")}
        </Link>
      </p>
      <Pages query={query} rows={3} empty={<p className="empty">{say("job.no_alerts")}</p>}>
        {(all) => (
          <ul className="lines">
            {all.map((alert) => (
              <AlertLine key={alert.id} alert={alert} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}
