/// One action on many runs: exactly those that are listed in the dialog, and no other.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { matchingRuns, type RunsWanted } from "../api/queries.ts";
import type { RetriedOut, RunOut } from "../api/types.ts";
import type { Act } from "../format/snippets.ts";
import { useSay, type Word } from "../words/say.ts";
import { Confirm, type Intent } from "./Confirm.tsx";
import { Loaded } from "./Loaded.tsx";
import { JobLink, RunLink } from "./links.tsx";
import { State } from "./State.tsx";
import { At } from "./Times.tsx";
import { tell } from "./Toasts.tsx";

const AT_ONCE = 200; // what one request takes
const OPERATION = { retry: "retry_runs", cancel: "cancel_runs" } as const;

export type BulkVerb = "retry" | "cancel";

/** What can be done with all runs of one state together. */
export function verbOf(state: string | undefined): BulkVerb | null {
  if (state === "FAILED" || state === "CANCELLED") return "retry";
  return state === "PENDING" || state === "RUNNING" || state === "HELD" || state === "RETRYING"
    ? "cancel"
    : null;
}

interface Props {
  verb: BulkVerb;
  wanted: RunsWanted;
  /** What the filter lets through, when it is known. */
  runs?: RunOut[];
  close: () => void;
  onDone?: (() => void) | undefined;
}

/** All runs of a filter: they are listed first, and the verb takes these. */
export function BulkDialog({ verb, wanted, runs, close, onDone }: Props) {
  const query = useQuery({
    ...matchingRuns(wanted),
    enabled: runs === undefined,
    refetchOnWindowFocus: false,
  });
  if (runs) return <Listed verb={verb} runs={runs} isCut={false} close={close} onDone={onDone} />;
  if (query.data === undefined) return <Loaded query={query}>{() => null}</Loaded>;
  return <Listed verb={verb} runs={query.data.items} isCut={query.data.isCut} close={close} />;
}

interface ListedProps {
  verb: BulkVerb;
  runs: RunOut[];
  isCut: boolean;
  close: () => void;
  onDone?: (() => void) | undefined;
}

function Listed({ verb, runs: found, isCut, close, onDone }: ListedProps) {
  const say = useSay();
  const [runs] = useState(found); // what changes meanwhile changes nothing of what is listed
  const [refused, setRefused] = useState<RetriedOut["refused"]>([]);
  const count = runs.length;
  const says: Word = count === 0 ? "bulk.none" : `bulk.${verb}_says`;
  const change = async ({ reason, key }: Intent) => {
    let done = 0;
    const left: RetriedOut["refused"] = [];
    // One after the other, each with its key: what was done is not done again by a further press.
    for (let from = 0; from < count; from += AT_ONCE) {
      const body = { ids: runs.slice(from, from + AT_ONCE).map((run) => run.id), reason };
      const some = { body, key: `${key}-${from}` };
      const answer = await call(OPERATION[verb], some);
      done += answer.count;
      if ("refused" in answer) left.push(...answer.refused);
    }
    tell(say("bulk.done", { count: done }));
    setRefused(left);
    onDone?.();
    return left.length === 0;
  };
  const act = (reason: string): Act => {
    const ids = runs.map((run) => run.id);
    return {
      verb: `run ${verb} ${ids.join(" ")}`,
      options: { reason },
      asked: asked(OPERATION[verb], { body: { ids, reason } }),
      method: { name: `runs.${verb}_many`, given: [ids], options: { reason } },
    };
  };
  return (
    <Confirm
      title={say(`bulk.${verb}`, { count })}
      says={say(isCut ? "bulk.too_many" : says, { count })}
      action={say(`bulk.${verb}`, { count })}
      isDanger={verb === "cancel"}
      isOff={isCut || count === 0 || refused.length > 0}
      {...(count > 0 && count <= AT_ONCE ? { act } : {})}
      close={close}
      change={change}
    >
      {refused.length > 0 && (
        <ul className="lines listed problem" role="alert" tabIndex={0} aria-label={say("many.refused")}>
          {refused.map((run) => (
            <li key={run.id}>
              <RunLink run={run.id} />
              <span className="raw">{run.message}</span>
            </li>
          ))}
        </ul>
      )}
      <ul className="lines listed" tabIndex={0} aria-label={say("runs.list")}>
        {runs.map((run) => (
          <li key={run.id}>
            <State of={run.shown} />
            <JobLink job={{ name: run.job, namespace: run.namespace }} />
            <RunLink run={run.id} />
            <span className="end soft">
              <At iso={run.due_at} />
            </span>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}
