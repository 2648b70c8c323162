/// Nodes as a table: band and its reason, beat, slots, load; and behind each name the whole of it.
import { ActionIcon, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Fragment, useEffect, useRef, useState } from "react";
import { node as nodeQuery } from "../api/queries.ts";
import type { NodeOut } from "../api/types.ts";
import type { History } from "../format/history.ts";
import { callOf, pairsOf } from "../format/labels.ts";
import { count, duration, percent } from "../format/time.ts";
import { Icon } from "../look/Icon.tsx";
import { RoleDialog } from "../parts/clusterActions.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Meter } from "../parts/Meter.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { Spark } from "../parts/Spark.tsx";
import { State } from "../parts/State.tsx";
import { At, Since, Took } from "../parts/Times.tsx";
import { isWord, useSay, useUnits } from "../words/say.ts";
import { NodeStatistics } from "./Statistics.tsx";

/** So many are drawn at first: a page of some hundred nodes with all their figures would answer slowly. */
const ROWS = 100;
const TROUBLE = ["WARNING", "OFFLINE", "DEAD"];

interface TableProps {
  label: string;
  nodes: NodeOut[];
  /** Those of the whole cluster: they decide whether a name is enough to tell a node from others. */
  all: NodeOut[];
  /** The one that the address opens. */
  open: NodeOut | undefined;
  history: History;
  drain: (node: NodeOut) => void;
}

export function NodeTable({ label, nodes, all, open, history, drain }: TableProps) {
  const say = useSay();
  const navigate = useNavigate({ from: "/nodes" });
  const [rows, setRows] = useState(ROWS);
  if (nodes.length === 0) return <p className="soft">{say("nodes.nobody")}</p>;
  const shown = nodes.length > rows ? firstOf(nodes, rows, open) : nodes;
  const toggle = (node: NodeOut) => {
    const called = node.id === open?.id ? undefined : callOf(node, all);
    void navigate({ search: (before) => ({ ...before, node: called }), replace: true, resetScroll: false });
  };
  return (
    <>
      <ListTable
        label={label}
        heads={[
          "nodes.name",
          "nodes.health",
          "nodes.beat",
          "nodes.load",
          "load.cpu",
          "load.memory",
          "load.score",
          "nodes.clock",
          "nodes.version",
          "nodes.up",
        ]}
        hasActions
      >
        {shown.map((node) => {
          const isOpen = node.id === open?.id;
          return (
            <Fragment key={node.id}>
              <NodeLine
                node={node}
                called={callOf(node, all)}
                drain={drain}
                isOpen={isOpen}
                toggle={() => toggle(node)}
              />
              {isOpen && (
                <tr className="inner">
                  <td colSpan={11}>
                    <Whole node={node} history={history} />
                    <NodeStatistics name={node.name} isServer={node.kind === "server"} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </ListTable>
      {shown.length < nodes.length && (
        <p className="row soft">
          {say("nodes.some_of", { shown: shown.length, all: nodes.length })}
          <Button variant="default" size="compact-sm" onClick={() => setRows(rows + ROWS)}>
            {say("do.show_more")}
          </Button>
        </p>
      )}
    </>
  );
}

/** When not all are shown: the one that is open, and those that need somebody, stand first. */
function firstOf(nodes: NodeOut[], rows: number, open: NodeOut | undefined): NodeOut[] {
  const isFirst = (node: NodeOut) => node.id === open?.id || TROUBLE.includes(node.health);
  return [...nodes.filter(isFirst), ...nodes.filter((node) => !isFirst(node))].slice(0, rows);
}

export function isGone(node: NodeOut): boolean {
  return node.health === "DEAD" || node.health === "LEFT";
}

interface LineProps {
  node: NodeOut;
  called: string;
  isOpen: boolean;
  toggle: () => void;
  drain: (node: NodeOut) => void;
}

function NodeLine({ node, called, isOpen, toggle, drain }: LineProps) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const say = useSay();
  const rights = useRights();
  const isDraining = node.state === "DRAINING";
  const isWorker = node.kind !== "server";
  const gone = isGone(node);
  return (
    <tr ref={row}>
      <td className="first">
        <span className="row tightrow">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-expanded={isOpen}
            aria-label={say("nodes.details", { name: node.name })}
            onClick={toggle}
          >
            <Icon name={isOpen ? "down" : "right"} size={16} />
          </ActionIcon>
          <NodeLink node={node.name} called={called} />
          {node.is_leader && <span className="tag tone-good">★ {say("nodes.leader")}</span>}
          {node.role === "STANDBY" && <span className="tag">{say("nodes.standby")}</span>}
          {node.failed_kinds.length > 0 && (
            <span className="tag tone-wait">
              {say("nodes.kinds_failed", { count: node.failed_kinds.length })}
            </span>
          )}
          {isWorker && (
            <span className="soft small">
              <Raw>{node.group}</Raw>
            </span>
          )}
        </span>
      </td>
      <td>
        <State of={isDraining && !gone ? "draining" : node.health} family="health" />
        {isDraining && !gone && (
          <span className="soft small"> {say("nodes.left", { count: node.running })}</span>
        )}
        {node.health_why && <div className="soft small says raw">{node.health_why}</div>}
      </td>
      <td data-label={say("nodes.beat")}>
        {gone && node.ended_at ? <At iso={node.ended_at} /> : <Took seconds={Math.max(0, node.beat_age_s)} />}
      </td>
      <td data-label={isWorker && !gone ? say("nodes.load") : undefined}>
        {isWorker && !gone && (
          <Meter label={say("nodes.load")} value={node.running} max={node.slots} text={slotsText(node)} />
        )}
      </td>
      <ShareCell node={node} figure="cpu" />
      <ShareCell node={node} figure="memory" />
      <td data-label={node.score === null || gone ? undefined : say("load.score")}>
        {node.score !== null && !gone && node.score.toFixed(2)}
      </td>
      <td data-label={say("nodes.clock")}>
        <Clock offset={node.clock_offset_s} />
      </td>
      <td>
        <Raw>{node.version}</Raw>
      </td>
      <td data-label={say("nodes.up")}>
        <At iso={node.started_at} />
      </td>
      <td className="tight">
        {rights.admin && !gone && (
          <Button size="compact-xs" variant="default" onClick={() => drain(node)}>
            {say(isDraining ? "nodes.undrain" : "nodes.drain")}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** `3/8`, and `≤4` behind it for a worker that gets runs for fewer slots than it has. */
function slotsText(node: NodeOut): string {
  const taken = `${node.running}/${node.slots}`;
  return node.slots_given < node.slots && node.state !== "DRAINING" ? `${taken} ≤${node.slots_given}` : taken;
}

function ShareCell({ node, figure }: { node: NodeOut; figure: "cpu" | "memory" }) {
  const say = useSay();
  const value = node.load[figure];
  if (value === undefined || isGone(node)) return <td />;
  return (
    <td data-label={say(`load.${figure}`)}>
      <Meter label={say(`load.${figure}`)} value={value} max={1} text={percent(value)} />
    </td>
  );
}

function Clock({ offset }: { offset: number | null }) {
  const units = useUnits();
  if (offset === null) return null;
  return (
    <span className={Math.abs(offset) > 1 ? "tone-wait nowrap" : "nowrap"}>
      {offset < 0 ? "−" : "+"}
      {duration(offset, units)}
    </span>
  );
}

const SHARES = ["cpu", "memory", "disk", "starved", "score"] as const;
const COUNTS = ["running", "waiting", "queue", "threads", "files", "connections"] as const;

/** Everything about one node; what runs on it is read when it is opened. */
function Whole({ node, history }: { node: NodeOut; history: History }) {
  const say = useSay();
  const past = history[node.id]?.values ?? {};
  const drained = drainOf(node.drained_by);
  return (
    <div className="columns even">
      <div>
        {node.health_why && (
          <div className="why">
            <p>{node.health_why}</p>
            {node.health_since && (
              <p className="soft">
                {say("nodes.since")} <At iso={node.health_since} />
              </p>
            )}
          </div>
        )}
        {drained && (
          <div className="why">
            <p>
              {say("health.draining")} · <Raw>{drained}</Raw>
            </p>
          </div>
        )}
        <dl className="figures">
          {SHARES.map((figure) => {
            const value = node.load[figure];
            if (value === undefined) return null;
            const text = figure === "score" ? value.toFixed(2) : percent(value);
            return (
              <Figure key={figure} name={say(`load.${figure}`)} text={text} past={past[figure]} max={1} />
            );
          })}
          {COUNTS.map((figure) => {
            const value = node.load[figure];
            if (value === undefined) return null;
            return (
              <Figure
                key={figure}
                name={say(`load.${figure}`)}
                text={count(value)}
                past={past[figure]}
                max={0}
              />
            );
          })}
        </dl>
        {Object.keys(node.load).length === 0 && <p className="soft">{say("nodes.no_load")}</p>}
      </div>
      <div>
        <Life node={node} />
        {node.kind === "server" && <Role node={node} />}
        <dl className="pairs">
          <dt>{say("nodes.host")}</dt>
          <dd>
            <Raw>
              {node.host}:{node.pid}
            </Raw>
          </dd>
          {node.address && (
            <>
              <dt>{say("nodes.address")}</dt>
              <dd>
                <Raw>{node.address}</Raw>
              </dd>
            </>
          )}
          {Object.keys(node.labels).length > 0 && (
            <>
              <dt>{say("nodes.labels")}</dt>
              <dd>
                <Raw>
                  {pairsOf(node.labels).map((label, at) => (
                    <Fragment key={label}>
                      {at > 0 && ", "}
                      <Link to="/nodes" search={{ label }} className="name">
                        {label}
                      </Link>
                    </Fragment>
                  ))}
                </Raw>
              </dd>
            </>
          )}
          {node.handlers.length > 0 && (
            <>
              <dt>{say("nodes.handlers")}</dt>
              <dd>
                <Raw mono>{node.handlers.join(", ")}</Raw>
              </dd>
            </>
          )}
        </dl>
        {node.failed_kinds.map((failed) => (
          <div className="problem" key={failed.kind}>
            <p translate="no">
              <b>{failed.kind}</b> {failed.package} {failed.version}: {failed.why}
            </p>
          </div>
        ))}
        {node.kind !== "server" && <OnIt node={node} />}
      </div>
    </div>
  );
}

/** What a server does, and the way to change it. */
function Role({ node }: { node: NodeOut }) {
  const say = useSay();
  const rights = useRights();
  const [isOpen, setOpen] = useState(false);
  if (node.role === null || isGone(node)) return null;
  return (
    <p className="row">
      <span>{say(node.role === "STANDBY" ? "nodes.is_standby" : "nodes.is_active")}</span>
      {node.role_since && (
        <span className="soft">
          {say("nodes.since")} <At iso={node.role_since} />
        </span>
      )}
      {rights.admin && (
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
          {say(node.role === "STANDBY" ? "nodes.promote" : "nodes.demote")}
        </Button>
      )}
      {isOpen && <RoleDialog node={node} close={() => setOpen(false)} />}
    </p>
  );
}

interface FigureProps {
  name: string;
  text: string;
  past: number[] | undefined;
  max: number;
}

function Figure({ name, text, past = [], max }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
      <dd>
        <Spark values={past} max={max} label={`${name} ${text}`} />
      </dd>
    </div>
  );
}

/** How far the node came, and when. */
function Life({ node }: { node: NodeOut }) {
  const say = useSay();
  return (
    <ol className="life" aria-label={say("nodes.life")}>
      {Object.entries(node.life_times).map(([life, at]) => {
        const word = `life.${life}`;
        return (
          <li key={life} aria-current={life === node.life ? "step" : undefined}>
            <span>{isWord(word) ? say(word) : life.toLowerCase()}</span>
            <span className="soft small">
              <At iso={at} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function OnIt({ node }: { node: NodeOut }) {
  const say = useSay();
  const { data } = useQuery(nodeQuery(node.id));
  const runs = data?.runs ?? [];
  if (runs.length === 0) return <p className="soft">{say("nodes.idle")}</p>;
  return (
    <ul className="lines">
      {runs.map((run) => (
        <li key={run.id}>
          <State of={run.shown} />
          <JobLink job={{ name: run.job, namespace: run.namespace }} />
          <RunLink run={run.id} />
          <span className="end soft">{run.started_at && <Since iso={run.started_at} />}</span>
        </li>
      ))}
    </ul>
  );
}

/** Who asked for the drain, and why. */
function drainOf(written: string | null): string {
  if (!written) return "";
  try {
    const said = JSON.parse(written) as { by?: string; reason?: string };
    return [said.by, said.reason].filter(Boolean).join(" · ");
  } catch {
    return written;
  }
}
