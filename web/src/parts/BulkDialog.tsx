/// One action on many runs: exactly those that are listed in the dialog, and no other.
import { call } from "../api/call.ts";
import type { RunOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { JobLink, RunLink } from "./links.tsx";
import { State } from "./State.tsx";
import { At } from "./Times.tsx";
import { tell } from "./Toasts.tsx";

export const BULK_MAX = 200;

export type BulkVerb = "retry" | "cancel";

/** What can be done with all runs of one state together. */
export function verbOf(state: string | undefined): BulkVerb | null {
  if (state === "FAILED" || state === "CANCELLED") return "retry";
  return state === "PENDING" || state === "RUNNING" || state === "HELD" || state === "RETRYING"
    ? "cancel"
    : null;
}

export function BulkDialog({ verb, runs, close }: { verb: BulkVerb; runs: RunOut[]; close: () => void }) {
  const say = useSay();
  const count = runs.length;
  return (
    <Confirm
      title={say(`bulk.${verb}`, { count })}
      says={say(`bulk.${verb}_says`)}
      action={say(`bulk.${verb}`, { count })}
      isDanger={verb === "cancel"}
      close={close}
      change={async ({ reason, key }) => {
        const body = { ids: runs.map((run) => run.id), reason };
        const done = await call(verb === "retry" ? "retry_runs" : "cancel_runs", { body, key });
        tell(say("bulk.done", { count: done.count }));
      }}
    >
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
