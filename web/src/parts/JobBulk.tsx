/// One verb on all jobs that the filter lets through: they are listed first, and their number must still be right.
import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/call.ts";
import { type JobsWanted, matchingJobs } from "../api/queries.ts";
import type { JobOut, TreatedJobsOut } from "../api/types.ts";
import { instantWritten } from "../format/day.ts";
import { useSay } from "../words/say.ts";
import { Confirm, type Intent } from "./Confirm.tsx";
import { Loaded } from "./Loaded.tsx";
import { JobLink } from "./links.tsx";
import { Raw } from "./Raw.tsx";
import { State } from "./State.tsx";
import { useZone } from "./settings.ts";
import { tell } from "./Toasts.tsx";

export const JOB_VERBS = ["pause", "resume", "trigger", "delete"] as const;
export type JobVerb = (typeof JOB_VERBS)[number];

interface Props {
  verb: JobVerb;
  wanted: JobsWanted;
  close: () => void;
}

export function JobBulkDialog({ verb, wanted, close }: Props) {
  const query = useQuery(matchingJobs(wanted));
  if (query.data === undefined) return <Loaded query={query}>{() => null}</Loaded>;
  return (
    <Listed verb={verb} wanted={wanted} jobs={query.data.items} isCut={query.data.isCut} close={close} />
  );
}

function Listed({ verb, wanted, jobs, isCut, close }: Props & { jobs: JobOut[]; isCut: boolean }) {
  const say = useSay();
  const zone = useZone();
  const [until, setUntil] = useState("");
  const [refused, setRefused] = useState<TreatedJobsOut["items"]>([]);
  const count = jobs.length;
  const change = async ({ reason, key }: Intent) => {
    const { q = "", state = null, failing = false, late = false, group = null } = wanted;
    const body = { filter: { q, state, failing, late, group }, expected: count, reason };
    const ends = until === "" ? {} : { until: new Date(instantWritten(until, zone)).toISOString() };
    const done = await sent(verb, body, ends, key);
    const failed = done.items.filter((job) => job.outcome === "failed");
    const changed = done.items.filter((job) => job.outcome === "done");
    const undo = verb === "pause" && changed.length > 0 ? () => resumed(changed) : undefined;
    tell(
      say(`many.${verb}_done`, { count: done.count }),
      undefined,
      undo && { label: say("do.undo"), act: undo },
    );
    setRefused(failed);
    return failed.length === 0;
  };
  return (
    <Confirm
      title={say(`many.${verb}`, { count })}
      says={say(isCut ? "many.too_many" : `many.${verb}_says`)}
      action={say(`many.${verb}`, { count })}
      isDanger={verb === "delete"}
      isOff={isCut || count === 0}
      {...(verb === "delete" ? { name: String(count) } : {})}
      close={close}
      change={change}
    >
      {verb === "pause" && (
        <TextInput
          type="datetime-local"
          label={say("pause.until")}
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      )}
      {refused.length > 0 && (
        <ul className="lines listed problem" role="alert" tabIndex={0} aria-label={say("many.refused")}>
          {refused.map((job) => (
            <li key={`${job.namespace}/${job.name}`}>
              <JobLink job={job} />
              <span className="raw">{job.message}</span>
              {job.hint && <p className="raw">{job.hint}</p>}
            </li>
          ))}
        </ul>
      )}
      <ul className="lines listed" tabIndex={0} aria-label={say("jobs.list")}>
        {jobs.map((job) => (
          <li key={`${job.namespace}/${job.name}`}>
            <State of={job.state} family="job" />
            <JobLink job={job} />
            <span className="end soft">
              <Raw>{job.owner}</Raw>
            </span>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

interface Bulk {
  filter: { q: string; state: string | null; failing: boolean; late: boolean; group: string | null };
  expected: number;
  reason: string;
}

async function sent(
  verb: JobVerb,
  body: Bulk,
  ends: { until?: string },
  key: string,
): Promise<TreatedJobsOut> {
  if (verb === "resume") return await call("resume_jobs", { body, key });
  if (verb === "trigger") return await call("trigger_jobs", { body, key });
  if (verb === "delete") return await call("delete_jobs", { body, key });
  return await call("pause_jobs", { body: { ...body, ...ends }, key });
}

async function resumed(jobs: TreatedJobsOut["items"]): Promise<void> {
  const named = jobs.map(({ name, namespace }) => ({ name, namespace }));
  await call("resume_jobs", { body: { jobs: named } });
}
