/// What failed: from its beginning to its end, what was affected and what was done.
import { Checkbox, NativeSelect } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { failover, failovers } from "../api/queries.ts";
import type { FailoverOut } from "../api/types.ts";
import { count } from "../format/time.ts";
import { Detail } from "../parts/Detail.tsx";
import { LifeStep } from "../parts/LifeStep.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { LockLink, NamedJobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { At, Took } from "../parts/Times.tsx";
import { isWord, useSay } from "../words/say.ts";

export const TYPES = [
  "network_partition",
  "server_crash",
  "worker_crash",
  "run_timeout",
  "lock_deadlock",
  "resource_exhaustion",
  "store_unreachable",
  "coordination_unreachable",
  "clock_step",
] as const satisfies FailoverOut["type"][];

export function Failovers() {
  const say = useSay();
  const { type, open, id } = useSearch({ from: "/nodes" });
  const navigate = useNavigate({ from: "/nodes" });
  const query = useInfiniteQuery(failovers({ type, open }));
  const set = (change: { type?: string | undefined; open?: boolean | undefined; id?: number | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <div className="filters">
        <NativeSelect
          aria-label={say("fail.type")}
          value={type ?? ""}
          onChange={(event) => set({ type: event.currentTarget.value || undefined })}
          data={[
            { value: "", label: say("fail.any_type") },
            ...TYPES.map((one) => ({ value: one, label: say(`failure.${one}`) })),
          ]}
        />
        <Checkbox
          label={say("fail.only_open")}
          checked={open ?? false}
          onChange={(event) => set({ open: event.currentTarget.checked || undefined })}
        />
      </div>
      <Pages query={query} empty={<p className="empty">{say("fail.none")}</p>}>
        {(all) => (
          <ListTable
            label={say("fail.list")}
            heads={[
              "fail.began",
              "fail.type",
              "fail.subject",
              "fail.detection",
              { word: "fail.runs", isRight: true },
              "fail.action",
              "fail.outcome",
              { word: "fail.lasted", isRight: true },
            ]}
          >
            {all.map((one) => (
              <Line key={one.id} failover={one} />
            ))}
          </ListTable>
        )}
      </Pages>
      {id !== undefined && <Opened id={id} close={() => set({ id: undefined })} />}
    </>
  );
}

function Line({ failover: one }: { failover: FailoverOut }) {
  const say = useSay();
  return (
    <tr>
      <td className="first">
        <Link from="/nodes" to="/nodes" search={(before) => ({ ...before, id: one.id })} className="name">
          <At iso={one.began_at} />
        </Link>
      </td>
      <td>{say(`failure.${one.type}`)}</td>
      <td>
        <Subject of={one} />
      </td>
      <td className="cut" title={one.detection}>
        {one.detection}
      </td>
      <td className="right" data-label={say("fail.runs")}>
        {count(one.affected.runs)}
      </td>
      <td>
        <Action action={one.action} />
      </td>
      <td>
        <Outcome failover={one} />
      </td>
      <td className="right" data-label={say("fail.lasted")}>
        <Took seconds={one.lasted_s} />
      </td>
    </tr>
  );
}

const OF_NODES: readonly FailoverOut["type"][] = [
  "network_partition",
  "server_crash",
  "worker_crash",
  "resource_exhaustion",
  "clock_step",
];

/** What failed: a node, a lock, the job of the runs; or the store and other services, which have no page. */
function Subject({ of: { type, subject, namespace } }: { of: FailoverOut }) {
  if (OF_NODES.includes(type) && subject !== "store") return <NodeLink node={subject} />;
  if (type === "lock_deadlock") return <LockLink name={subject} namespace={namespace} />;
  if (type === "run_timeout") return <NamedJobLink name={subject} namespace={namespace} />;
  return <Raw>{subject}</Raw>;
}

export function Action({ action }: { action: string }) {
  const say = useSay();
  const word = `action.${action}`;
  return isWord(word) ? say(word) : <Raw>{action}</Raw>;
}

function Outcome({ failover: one }: { failover: FailoverOut }) {
  const say = useSay();
  return (
    <span className="row tightrow">
      <State of={one.outcome ?? "open"} family="outcome" />
      {one.escalated_at && <span className="tag tone-bad">{say("fail.escalated")}</span>}
    </span>
  );
}

function Opened({ id, close }: { id: number; close: () => void }) {
  const say = useSay();
  const query = useQuery(failover(id));
  return (
    <Detail title={say("fail.one", { id })} query={query} close={close}>
      {(found) => <Whole failover={found} />}
    </Detail>
  );
}

function Whole({ failover: one }: { failover: FailoverOut }) {
  const say = useSay();
  const { affected } = one;
  return (
    <div className="stack">
      <p className="row">
        <b>{say(`failure.${one.type}`)}</b> <Subject of={one} /> <Outcome failover={one} />
      </p>
      <div className="why">
        <p>{one.detection}</p>
      </div>
      <ol className="life" aria-label={say("fail.course")}>
        <LifeStep word={say("fail.began")} at={one.began_at} />
        <LifeStep word={say("fail.detected")} at={one.detected_at} />
        <LifeStep word={say("fail.escalated")} at={one.escalated_at} />
        <LifeStep word={say("fail.ended")} at={one.ended_at} />
      </ol>
      <dl className="pairs">
        <dt>{say("fail.lasted")}</dt>
        <dd>
          <Took seconds={one.lasted_s} />
        </dd>
        <dt>{say("fail.action")}</dt>
        <dd>
          <Action action={one.action} /> × {one.attempts}
        </dd>
        <dt>{say("fail.runs")}</dt>
        <dd className="row">
          {count(affected.runs)}
          {affected.run_ids.map((run) => (
            <RunLink key={run} run={run} />
          ))}
        </dd>
        <Links
          word={say("fail.jobs")}
          names={affected.jobs}
          link={(name) => <NamedJobLink name={name} namespace={one.namespace} />}
        />
        <Links word={say("fail.nodes")} names={affected.nodes} link={(name) => <NodeLink node={name} />} />
        <Links
          word={say("fail.locks")}
          names={affected.locks}
          link={(name) => <LockLink name={name} namespace={one.namespace} />}
        />
        <Names word={say("fail.done")} names={pairsOf(one.done)} />
        <Names word={say("fail.evidence")} names={pairsOf(one.evidence)} />
        {one.channel && <Names word={say("policy.channel")} names={[one.channel]} />}
      </dl>
    </div>
  );
}

interface LinksProps {
  word: string;
  names: string[];
  link: (name: string) => ReactNode;
}

function Links({ word, names, link }: LinksProps) {
  if (names.length === 0) return null;
  return (
    <>
      <dt>{word}</dt>
      <dd className="row">
        {names.map((name) => (
          <Fragment key={name}>{link(name)}</Fragment>
        ))}
      </dd>
    </>
  );
}

function Names({ word, names }: { word: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <dt>{word}</dt>
      <dd>
        <Raw>{names.join(", ")}</Raw>
      </dd>
    </>
  );
}

function pairsOf(values: Record<string, unknown>): string[] {
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name} ${text}`;
  });
}
