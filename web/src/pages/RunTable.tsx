/// Runs as rows: one state, when due, how late, how long, where, what caused them, and why those wait that do.
import { memo } from "react";
import type { RunOut } from "../api/types.ts";
import { CompareButton, PickedBar } from "../parts/CompareButton.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { ChooseAll, ChooseBox, type Selection } from "../parts/Selection.tsx";
import { State } from "../parts/State.tsx";
import { At, Since, Took } from "../parts/Times.tsx";
import { type Asking, useAsking, WhyButton, WhyRow } from "../parts/Whys.tsx";
import { isWord, useSay } from "../words/say.ts";

interface Props {
  runs: RunOut[];
  withJob?: boolean;
  /** Rows can be chosen. */
  selection?: Selection | undefined;
}

export function RunTable({ runs, withJob = true, selection }: Props) {
  const say = useSay();
  const asking = useAsking(runs);
  return (
    <>
      <PickedBar />
      <table className="list" aria-label={say("runs.list")}>
        <thead>
          <tr>
            <th>
              {selection && <ChooseAll of={selection} names={runs.map((run) => run.id)} />}
              {say("runs.state")}
            </th>
            {withJob && <th>{say("runs.job")}</th>}
            <th>{say("runs.id")}</th>
            <th>{say("runs.due")}</th>
            <th className="right">{say("runs.delay")}</th>
            <th className="right">{say("runs.duration")}</th>
            <th className="right">{say("runs.attempt")}</th>
            <th>{say("runs.node")}</th>
            <th>{say("runs.origin")}</th>
            <th className="tight">
              <span className="hidden">{say("jobs.actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunLine
              key={run.id}
              run={run}
              withJob={withJob}
              asking={asking}
              isChosen={selection?.chosen.has(run.id) ?? false}
              toggle={selection?.toggle ?? null}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

interface LineProps {
  run: RunOut;
  withJob: boolean;
  asking: Asking;
  isChosen: boolean;
  /** Null: rows cannot be chosen. */
  toggle: Selection["toggle"] | null;
}

/** Drawn anew when its run is another, not when the list is read again. */
const RunLine = memo(function RunLine({ run, withJob, asking, isChosen, toggle }: LineProps) {
  const say = useSay();
  return (
    <>
      <tr data-chosen={isChosen || undefined}>
        <td className="tight">
          {toggle && <ChooseBox name={run.id} label={run.id} isChosen={isChosen} toggle={toggle} />}
          <State of={run.shown} />
          {run.kind && isWord(`kind.${run.kind}`) && (
            <span className="soft small"> {say(`kind.${run.kind}`)}</span>
          )}
          <WhyButton run={run} asking={asking} />
        </td>
        {withJob && (
          <td>
            <JobLink job={{ name: run.job, namespace: run.namespace }} />
          </td>
        )}
        <td>
          <RunLink run={run.id} />
        </td>
        <td>
          <At iso={run.due_at} />
        </td>
        <td className="right" data-label={say("runs.delay")}>
          <Took seconds={run.delay_s} />
        </td>
        <td className="right" data-label={say("runs.duration")}>
          {run.state === "RUNNING" && run.started_at ? (
            <Since iso={run.started_at} />
          ) : (
            <Took seconds={run.duration_s} />
          )}
        </td>
        <td className="right" data-label={say("runs.attempt")}>
          {run.attempt}
        </td>
        <td>{run.node && <NodeLink node={run.node} />}</td>
        <td>
          {say(`origin.${run.origin}`)}
          {run.triggered_by && (
            <span className="soft">
              {" "}
              <Raw>{run.triggered_by}</Raw>
            </span>
          )}
        </td>
        <td className="tight">
          <CompareButton run={run.id} />
        </td>
      </tr>
      <WhyRow run={run} asking={asking} columns={withJob ? 10 : 9} />
    </>
  );
});
