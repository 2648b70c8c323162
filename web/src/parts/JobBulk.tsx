/// One verb on all jobs that the filter lets through: they are listed first, and their number must still be right.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { type JobsWanted, MATCHING_MAX, matchingJobs } from "../api/queries.ts";
import type { JobOut, TreatedJobsOut } from "../api/types.ts";
import type { Act } from "../format/snippets.ts";
import { useSay } from "../words/say.ts";
import { Confirm, type Intent } from "./Confirm.tsx";
import { Loaded } from "./Loaded.tsx";
import { JobLink } from "./links.tsx";
import { Raw } from "./Raw.tsx";
import type { Rights } from "./rights.ts";
import { State } from "./State.tsx";
import { useNamespace } from "./settings.ts";
import { tell } from "./Toasts.tsx";
import { useUntil } from "./UntilField.tsx";

const JOB_VERBS = ["pause", "resume", "trigger", "delete"] as const;
export type JobVerb = (typeof JOB_VERBS)[number];

export function verbsOf(rights: Rights): JobVerb[] {
  return JOB_VERBS.filter((verb) => (verb === "trigger" ? rights.run : rights.write));
}

interface Props {
  verb: JobVerb;
  wanted: JobsWanted;
  /** These alone, not all that the filter lets through. */
  chosen?: JobOut[] | undefined;
  close: () => void;
  onDone?: () => void;
}

export function JobBulkDialog(props: Props) {
  const { wanted, chosen } = props;
  const query = useQuery({ ...matchingJobs(wanted), enabled: chosen === undefined });
  if (chosen) return <Listed {...props} jobs={chosen} isCut={chosen.length > MATCHING_MAX} />;
  if (query.data === undefined) return <Loaded query={query}>{() => null}</Loaded>;
  return <Listed {...props} jobs={query.data.items} isCut={query.data.isCut} />;
}

interface ListedProps extends Props {
  jobs: JobOut[];
  isCut: boolean;
}

function Listed({ verb, wanted, chosen, jobs: found, isCut, close, onDone }: ListedProps) {
  const say = useSay();
  const namespace = useNamespace();
  const { at, isWhole, forget, field } = useUntil(`many ${verb}`);
  const [refused, setRefused] = useState<TreatedJobsOut["items"]>([]);
  const [kept] = useState(chosen); // what changes meanwhile changes nothing of what was chosen
  const jobs = kept ?? found;
  const count = jobs.length;
  const ends = at === undefined ? {} : { until: at };
  const which = kept ? namesOf(kept) : bulkOf(wanted, count);
  const bodyOf = (reason: string) => ({ ...which, ...(verb === "pause" && ends), reason });
  const change = async ({ reason, key }: Intent) => {
    const done = await call(CALLS[verb], { body: bodyOf(reason), key });
    const failed = done.items.filter((job) => job.outcome === "failed");
    const changed = done.items.filter((job) => job.outcome === "done");
    const undo = verb === "pause" && changed.length > 0 ? () => resumed(changed) : undefined;
    tell(
      say(`many.${verb}_done`, { count: done.count }),
      undefined,
      undo && { label: say("do.undo"), act: undo },
    );
    setRefused(failed);
    onDone?.();
    return failed.length === 0;
  };
  return (
    <Confirm
      title={say(`many.${verb}`, { count })}
      says={say(isCut ? "many.too_many" : kept ? `chosen.${verb}_says` : `many.${verb}_says`)}
      action={say(`many.${verb}`, { count })}
      isDanger={verb === "delete"}
      isOff={isCut || count === 0 || !isWhole}
      {...(verb === "delete" ? { name: String(count) } : {})}
      act={(reason) => {
        const body = bodyOf(reason);
        const command = kept ? undefined : commandOf(wanted);
        const options = kept
          ? { names: kept.map(({ namespace, name }) => `${namespace}/${name}`), ...ends, reason }
          : body;
        return {
          ...(command && { verb: `job ${verb}`, options: { ...command, ...ends, reason } }),
          namespace: namespace || "default",
          asked: asked(CALLS[verb], { body }),
          method: { name: `jobs.${verb}_all`, given: [], options: { ...options, namespace } },
        };
      }}
      close={() => {
        forget();
        close();
      }}
      change={change}
    >
      {verb === "pause" && field}
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

const CALLS = {
  pause: "pause_jobs",
  resume: "resume_jobs",
  trigger: "trigger_jobs",
  delete: "delete_jobs",
} as const;

function namesOf(jobs: readonly JobOut[]) {
  return { jobs: jobs.map(({ name, namespace }) => ({ name, namespace })) };
}

/** All jobs that the filter lets through, as long as they are as many as were seen. */
function bulkOf({ q, state, failing, late, group }: JobsWanted, expected: number) {
  const filter = {
    ...(q && { q }),
    ...(state && { state }),
    ...(group && { group }),
    ...(failing && { failing }),
    ...(late && { late }),
  };
  return { filter, expected };
}

/** The options of the command line that choose the same jobs; undefined: it has none for that. */
function commandOf({ q, state, failing, late, group }: JobsWanted): Act["options"] | undefined {
  if (state || late || !(q || group || failing)) return undefined;
  return { match: q, group, failing: failing || undefined };
}

async function resumed(jobs: TreatedJobsOut["items"]): Promise<void> {
  const named = jobs.map(({ name, namespace }) => ({ name, namespace }));
  await call("resume_jobs", { body: { jobs: named } });
}
