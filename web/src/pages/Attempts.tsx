/// The attempts of a run: which worker had it, how each ended, how long it took.
import { useQuery } from "@tanstack/react-query";
import { runAttempts } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { isOver } from "../live/changes.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { NodeLink } from "../parts/links.tsx";
import { State } from "../parts/State.tsx";
import { At, Took } from "../parts/Times.tsx";
import { isWord, useSay } from "../words/say.ts";

export function Attempts({ run }: { run: RunOut }) {
  const say = useSay();
  const query = useQuery(runAttempts(run.id));
  return (
    <Loaded query={query}>
      {(found) => (
        <>
          {found.items.length === 0 && <p className="empty">{say("run.no_attempts")}</p>}
          <ul className="lines">
            {found.items.map((one) => {
              const ownCause = isOver(run.state) ? run.state : "running";
              const cause = `cause.${one.cause ?? (ownCause === "running" ? "running" : "")}`;
              return (
                <li key={one.attempt}>
                  <b>{say("run.attempt", { attempt: one.attempt })}</b>
                  {isWord(cause) ? <span>{say(cause)}</span> : <State of={run.state} />}
                  <span className="soft">{one.node && <NodeLink node={one.node} />}</span>
                  {one.started_at && <At iso={one.started_at} />}
                  <span className="end soft">
                    <Took seconds={one.duration_s} />
                  </span>
                  {one.error && (
                    <p translate="no">
                      {one.error_type} {one.error}
                    </p>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Loaded>
  );
}
