/// Links to jobs and runs by their names.
import { Link } from "@tanstack/react-router";
import { Raw } from "./Raw.tsx";

export function JobLink({ job }: { job: { name: string; namespace: string } }) {
  return (
    <Link to="/jobs/$namespace/$name" params={{ namespace: job.namespace, name: job.name }} className="name">
      <Raw>
        {job.namespace !== "default" && <span className="soft">{job.namespace} / </span>}
        {job.name}
      </Raw>
    </Link>
  );
}

export function RunLink({ run }: { run: string }) {
  return (
    <Link to="/runs/$run" params={{ run }} className="mono nowrap">
      <Raw mono>{run}</Raw>
    </Link>
  );
}
