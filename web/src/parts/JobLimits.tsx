/// The limits of a job, and which values of its parameter and which workers are full: who holds them, how many runs wait.
import { useQuery } from "@tanstack/react-query";
import { jobKeys } from "../api/queries.ts";
import type { JobKeysOut, JobOut, KeyUseOut } from "../api/types.ts";
import { count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { Fold } from "./Fold.tsx";
import { ListTable } from "./ListTable.tsx";
import { Loaded } from "./Loaded.tsx";
import { RunLink } from "./links.tsx";
import { Raw } from "./Raw.tsx";

const OWN = ["max_running", "max_per_worker", "max_per_key", "rate", "rate_burst"] as const;
const BY = { max_per_key: "concurrency_by", rate: "rate_by" } as const;

/** Nothing where a job has none. */
export function JobLimits({ job }: { job: JobOut }) {
  const say = useSay();
  const place = (job.definition?.place ?? {}) as Record<string, unknown>;
  if (!OWN.some((name) => name in place)) return null;
  return <Fold says={say("nav.limits")}>{() => <Limits job={job} />}</Fold>;
}

function Limits({ job }: { job: JobOut }) {
  const say = useSay();
  const query = useQuery(jobKeys(job.namespace, job.name));
  return (
    <Loaded query={query}>
      {(found) => (
        <>
          <Said found={found} />
          {found.full.length > 0 ? (
            <Full keys={found.full} />
          ) : (
            <p className="soft">{say("limits.none_full")}</p>
          )}
        </>
      )}
    </Loaded>
  );
}

function Said({ found }: { found: JobKeysOut }) {
  const say = useSay();
  return (
    <div className="facts">
      {OWN.filter((name) => found[name] !== null).map((name) => {
        const by = name === "rate" || name === "max_per_key" ? found[BY[name]] : null;
        return (
          <span key={name}>
            {say(`limited.${name}`)} <b>{found[name]}</b> {by !== null && <Raw mono>{by}</Raw>}
          </span>
        );
      })}
    </div>
  );
}

function Full({ keys }: { keys: KeyUseOut[] }) {
  const say = useSay();
  return (
    <ListTable
      label={say("limits.full_keys")}
      heads={["limits.value", "limits.used", "limits.waits", "limits.holders"]}
    >
      {keys.map((key) => (
        <tr key={`${key.kind} ${key.value}`}>
          <td className="first">
            <Raw mono>{key.value}</Raw>
          </td>
          <td>
            {count(key.used)}
            {key.max !== null && ` / ${count(key.max)}`}
          </td>
          <td data-label={say("limits.waits")}>{count(key.waiting)}</td>
          <td>
            <span className="row">
              {key.holders.map((run) => (
                <RunLink key={run} run={run} />
              ))}
            </span>
          </td>
        </tr>
      ))}
    </ListTable>
  );
}
