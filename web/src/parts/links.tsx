/// Links to jobs, checks, runs, nodes and locks by their names.
import { Link, useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";
import { isPlainPress, jobPath, jobsPath, lockPath, nodePath, runPath } from "../format/paths.ts";
import { Raw } from "./Raw.tsx";

interface Placed {
  name: string;
  namespace: string;
}

/** `says`: what users wrote about it, told where the pointer is. */
export function JobLink({ job, says }: { job: Placed; says?: string }) {
  return (
    <RowLink to={jobPath(job)} className="name" title={says} translate="no">
      <Name of={job} />
    </RowLink>
  );
}

/** A node by its name, or by the id of a session. */
export function NodeLink({ node, called = node }: { node: string; called?: string }) {
  return (
    <RowLink to={nodePath(called)} className="name">
      <Raw>{node}</Raw>
    </RowLink>
  );
}

/** A job of which only the name is known leads to those that are called so. */
export function NamedJobLink({ name, namespace }: { name: string; namespace: string | null }) {
  if (namespace !== null) return <JobLink job={{ name, namespace }} />;
  return (
    <RowLink to={jobsPath(name)} className="name">
      <Raw>{name}</Raw>
    </RowLink>
  );
}

/** A lock opens beside the list of them. */
export function LockLink({ name, namespace }: { name: string; namespace: string | null }) {
  return (
    <RowLink to={lockPath({ name, namespace: namespace ?? "default" })} className="name">
      <Raw mono>{name}</Raw>
    </RowLink>
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
    <RowLink to={runPath(run)} className="mono nowrap">
      <Raw mono>{run}</Raw>
    </RowLink>
  );
}

/**
 * A link for the rows and bars of lists. A `Link` of the router compares itself with each place that the router goes to:
 * a list has thousands of them, and the next page would wait for all of these looks. This one only goes where it is told.
 */
export function RowLink({ to, ...looks }: Omit<ComponentProps<"a">, "href" | "onClick"> & { to: string }) {
  const router = useRouter();
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    if (!isPlainPress(event)) return; // a new tab, a new window, a download: the browser's own
    event.preventDefault();
    router.history.push(to);
  };
  return <a {...looks} href={to} onClick={go} />;
}

/** For many links that stand together and are drawn plainly: one listener around them, which goes where they say. */
export function useGo(): (event: MouseEvent<HTMLElement>) => void {
  const router = useRouter();
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const to = link?.getAttribute("href");
    if (!to || !isPlainPress(event)) return;
    event.preventDefault();
    router.history.push(to);
  };
}
