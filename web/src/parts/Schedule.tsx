/// The schedule of a job in words, with its zone where the page shows another one.
import type { JobOut } from "../api/types.ts";
import { unsaidZone } from "../format/unsaidZone.ts";
import { useSay } from "../words/say.ts";
import { Raw } from "./Raw.tsx";
import { useZone } from "./settings.ts";

export function Schedule({ job }: { job: JobOut }) {
  const say = useSay();
  const zone = unsaidZone(job, useZone());
  if (job.schedule === null) return <span className="soft">{say("jobs.no_schedule")}</span>;
  return (
    <>
      {job.schedule}
      {zone && (
        <>
          {" "}
          <span className="soft" title={say("job.its_zone")}>
            <Raw>{zone}</Raw>
          </span>
        </>
      )}
    </>
  );
}
