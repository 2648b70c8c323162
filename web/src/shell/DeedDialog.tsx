/// The dialog of what was chosen in the search: it says what happens before anything does.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { cluster, job as jobQuery } from "../api/queries.ts";
import type { Deed } from "../format/deeds.ts";
import { nodeCalled } from "../format/labels.ts";
import { tellProblem } from "../live/notices.ts";
import { DrainDialog, PauseDialog, ResumeDialog } from "../parts/actions.tsx";
import { useProblem } from "../parts/Problem.tsx";
import { TriggerDialog } from "../parts/TriggerDialog.tsx";

interface Props {
  deed: Deed;
  close: () => void;
}

export function DeedDialog({ deed, close }: Props) {
  const { verb, name, namespace } = deed;
  if (verb === "trigger") return <TriggerDialog name={name} namespace={namespace} close={close} />;
  if (verb === "pause") return <Pause deed={deed} close={close} />;
  return <Drain deed={deed} close={close} />;
}

/** A job that is paused already can be resumed. */
function Pause({ deed, close }: Props) {
  const job = useFirst(useQuery(jobQuery(deed.namespace, deed.name)), close);
  if (!job) return null;
  if (job.state === "PAUSED") return <ResumeDialog job={job} close={close} />;
  return <PauseDialog job={job} close={close} />;
}

/** A machine that serves and works has two nodes of one name: the worker is meant. */
function Drain({ deed, close }: Props) {
  const { data, error } = useQuery(cluster());
  const workers = data?.nodes.filter((one) => one.kind !== "server") ?? [];
  const node = nodeCalled(workers, deed.name) ?? nodeCalled(data?.nodes ?? [], deed.name);
  const first = useFirst({ data: node, error }, close);
  return first ? <DrainDialog node={first} close={close} /> : null;
}

/**
 * What was read first: a dialog does not become another one while somebody reads it. What is not there any more has no
 * dialog: why is told.
 */
function useFirst<T>({ data, error }: { data: T | undefined; error: Error | null }, close: () => void) {
  const problem = useProblem();
  const [first, setFirst] = useState(data);
  if (first === undefined && data !== undefined) setFirst(data);
  const missing = data === undefined ? error : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error is told once
  useEffect(() => {
    if (missing === null) return;
    tellProblem(problem(missing));
    close();
  }, [missing]);
  return first ?? data;
}
