/// Links to jobs, checks and runs by their names.
import { Link } from "@tanstack/react-router";
import { Raw } from "./Raw.tsx";

interface Placed {
  name: string;
  namespace: string;
}

export function JobLink({ job }: { job: Placed }) {
  return (
    <Link to="/jobs/$namespace/$name" params={{ namespace: job.namespace, name: job.name }} className="name">
      <Name of={job} />
    </Link>
  );
}

/** A check outside of Foliot: it opens beside the list. */
export function CheckLink({ check }: { check: Placed }) {
  return (
    <Link to="/checks" search={{ name: check.name, namespace: check.namespace }} className="name">
      <Name of={check} />
    </Link>
  );
}

/** With its namespace, unless that is the usual one. */
function Name({ of }: { of: Placed }) {
  return (
    <Raw>
      {of.namespace !== "default" && <span className="soft">{of.namespace} / </span>}
      {of.name}
    </Raw>
  );
}

export function RunLink({ run }: { run: string }) {
  return (
    <Link to="/runs/$run" params={{ run }} className="mono nowrap">
      <Raw mono>{run}</Raw>
    </Link>
  );
}
