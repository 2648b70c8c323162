/// What became of a job's due instants, which come next, and why.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { jobFires, jobWhy } from "../api/queries.ts";
import type { FireOut, JobOut } from "../api/types.ts";
import { duration } from "../format/time.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { RunLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { useZone } from "../parts/settings.ts";
import { At, FromNow } from "../parts/Times.tsx";
import { WhyCard } from "../parts/WhyCard.tsx";
import { isWord, useSay, useUnits } from "../words/say.ts";

export function Fires({ job }: { job: JobOut }) {
  const say = useSay();
  const query = useQuery(jobFires(job.namespace, job.name));
  return (
    <Loaded query={query} rows={6}>
      {(found) => (
        <div className="columns">
          <section className="part" aria-labelledby="past">
            <h2 id="past">{say("job.past")}</h2>
            {found.past.length === 0 && <p className="soft">{say("job.no_past")}</p>}
            <ul className="lines">
              {found.past.map((fire) => (
                <Past key={`${fire.due_at} ${fire.decision}`} job={job} fire={fire} />
              ))}
            </ul>
          </section>
          <section className="part" aria-labelledby="future">
            <h2 id="future">{say("job.future")}</h2>
            {found.future.length === 0 && <p className="soft">{say("job.no_future")}</p>}
            <ul className="lines">
              {found.future.slice(0, 20).map((fire) => (
                <li key={fire.due_at}>
                  <At iso={fire.due_at} />
                  <span className="end soft">
                    <FromNow iso={fire.due_at} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Loaded>
  );
}

function Past({ job, fire }: { job: JobOut; fire: FireOut }) {
  const say = useSay();
  const units = useUnits();
  const [isAsked, setAsked] = useState(false);
  const reason = `skip.${fire.reason}`;
  return (
    <li>
      <At iso={fire.due_at} />
      <State of={fire.decision} family="decision" />
      {fire.run && <RunLink run={fire.run} />}
      {fire.run_state && <State of={fire.run_state} />}
      {fire.lateness_s !== null && fire.lateness_s >= 1 && (
        <span className="tone-wait">{say("job.late_by", { span: duration(fire.lateness_s, units) })}</span>
      )}
      {fire.reason && <span className="soft">{isWord(reason) ? say(reason) : <Raw>{fire.reason}</Raw>}</span>}
      {fire.count !== null && fire.count > 1 && (
        <span className="soft">{say("job.times", { count: fire.count })}</span>
      )}
      <span className="end">
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isAsked}
          onClick={() => setAsked(!isAsked)}
        >
          {say("job.why")}
        </Button>
      </span>
      {isAsked && <Why job={job} at={fire.due_at} />}
    </li>
  );
}

function Why({ job, at }: { job: JobOut; at: string }) {
  const zone = useZone();
  const query = useQuery(jobWhy(job.namespace, job.name, at, zone));
  return (
    <div style={{ flexBasis: "100%" }}>
      <Loaded query={query} rows={1}>
        {(found) => found.items.map((why) => <WhyCard key={why.sentence} why={why} />)}
      </Loaded>
    </div>
  );
}
