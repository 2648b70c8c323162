/// The versions of a job: who, when, why, what differs, and the way back.
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { jobDiff, jobVersions } from "../api/queries.ts";
import type { JobOut, VersionOut } from "../api/types.ts";
import { RollbackDialog } from "../parts/actions.tsx";
import { ChangeTable } from "../parts/ChangeTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { At } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

export function Versions({ job }: { job: JobOut }) {
  const query = useInfiniteQuery(jobVersions(job.namespace, job.name));
  return (
    <Pages query={query} empty={null}>
      {(versions) => (
        <ul className="lines">
          {versions.map((version) => (
            <Version key={version.version} job={job} version={version} />
          ))}
        </ul>
      )}
    </Pages>
  );
}

function Version({ job, version }: { job: JobOut; version: VersionOut }) {
  const say = useSay();
  const rights = useRights();
  const [isCompared, setCompared] = useState(false);
  const [isBack, setBack] = useState(false);
  const isCurrent = version.version === job.version;
  const before = version.version - 1;
  return (
    <li>
      <b>{say("job.version", { version: version.version })}</b>
      {isCurrent && <span className="tag tone-good">{say("job.current")}</span>}
      <span className="soft">
        <At iso={version.created_at} /> <Raw>{version.created_by}</Raw>
      </span>
      {version.reason && <Raw>{version.reason}</Raw>}
      <span className="end">
        {before > 0 && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isCompared}
            onClick={() => setCompared(!isCompared)}
          >
            {say("job.diff", { version: before })}
          </Button>
        )}
        {!isCurrent && rights.write && (
          <Button size="compact-xs" variant="default" onClick={() => setBack(true)}>
            {say("job.rollback")}
          </Button>
        )}
      </span>
      {isCompared && (
        <div className="whole">
          <VersionDiff namespace={job.namespace} name={job.name} before={before} after={version.version} />
        </div>
      )}
      {isBack && <RollbackDialog job={job} version={version.version} close={() => setBack(false)} />}
    </li>
  );
}

interface DiffProps {
  namespace: string;
  name: string;
  before: number;
  after: number;
}

/** What two versions of a job differ in, field by field. */
export function VersionDiff({ namespace, name, before, after }: DiffProps) {
  const say = useSay();
  const query = useQuery(jobDiff(namespace, name, before, after));
  return (
    <Loaded query={query} rows={2}>
      {(found) => {
        if (found.changes.length === 0) return <p>{say("job.diff_none")}</p>;
        return (
          <ChangeTable
            changes={found.changes}
            before={say("job.diff_before", { version: before })}
            after={say("job.diff_after", { version: after })}
          />
        );
      }}
    </Loaded>
  );
}
