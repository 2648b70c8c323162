/// Servers and workers: how they are, what they carry, and taking one out of service.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemError } from "../api/call.ts";
import { cluster } from "../api/queries.ts";
import type { ClusterOut, NodeOut } from "../api/types.ts";
import { duration } from "../format/time.ts";
import { DrainDialog } from "../parts/actions.tsx";
import { Command } from "../parts/Command.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At, Took } from "../parts/Times.tsx";
import { useSay, useUnits } from "../words/say.ts";
import { Cluster } from "./Overview.tsx";

export function NodesPage() {
  const say = useSay();
  const query = useQuery(cluster());
  const isLimited = query.error instanceof ProblemError && query.error.status === 403;
  return (
    <>
      <div className="title">
        <h1>{say("nodes.title")}</h1>
      </div>
      {isLimited ? (
        <p className="empty">{say("nodes.limited")}</p>
      ) : (
        <Loaded query={query} rows={6}>
          {(found) => <Content found={found} />}
        </Loaded>
      )}
    </>
  );
}

function Content({ found }: { found: ClusterOut }) {
  const say = useSay();
  const servers = found.nodes.filter((node) => node.kind === "server");
  const workers = found.nodes.filter((node) => node.kind !== "server");
  const [drained, setDrained] = useState<NodeOut | null>(null);
  return (
    <>
      <Cluster cluster={found} />
      <p className="facts">
        <span>
          {say("nodes.store")} <Raw>{found.store}</Raw>
        </span>
        <span>{say("nodes.epoch", { epoch: found.epoch })}</span>
      </p>
      {found.troubles.map((trouble) => (
        <div className="problem" key={trouble.message}>
          <p>
            <strong>{trouble.message}</strong>
          </p>
          {trouble.hint && <p className="soft">{trouble.hint}</p>}
        </div>
      ))}
      <section className="part gap" aria-labelledby="servers">
        <h2 id="servers">{say("nodes.servers")}</h2>
        <NodeTable nodes={servers} drain={setDrained} />
      </section>
      <section className="part" aria-labelledby="workers">
        <h2 id="workers">{say("nodes.workers")}</h2>
        <NodeTable nodes={workers} drain={setDrained} />
        {workers.length <= 1 && (
          <div className="empty">
            <p>{say("nodes.none")}</p>
            <Command text={`foliot worker jobs.py --server ${window.location.origin}`} />
          </div>
        )}
      </section>
      {drained && <DrainDialog node={drained} close={() => setDrained(null)} />}
    </>
  );
}

function NodeTable({ nodes, drain }: { nodes: NodeOut[]; drain: (node: NodeOut) => void }) {
  const say = useSay();
  if (nodes.length === 0) return null;
  return (
    <table className="list" aria-label={say("nodes.title")}>
      <thead>
        <tr>
          <th>{say("nodes.name")}</th>
          <th>{say("nodes.health")}</th>
          <th>{say("nodes.beat")}</th>
          <th>{say("nodes.load")}</th>
          <th>{say("nodes.group")}</th>
          <th>{say("nodes.clock")}</th>
          <th>{say("nodes.version")}</th>
          <th>{say("nodes.host")}</th>
          <th>{say("nodes.up")}</th>
          <th className="tight">
            <span className="hidden">{say("nodes.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <NodeLine key={node.id} node={node} drain={drain} />
        ))}
      </tbody>
    </table>
  );
}

function NodeLine({ node, drain }: { node: NodeOut; drain: (node: NodeOut) => void }) {
  const say = useSay();
  const units = useUnits();
  const rights = useRights();
  const isDraining = node.state === "DRAINING";
  const isGone = node.health === "DEAD" || node.health === "LEFT";
  const isWorker = node.kind !== "server";
  const offset = node.clock_offset_s;
  return (
    <tr>
      <td className="first">
        <span className="row">
          <span className="name">
            <Raw>{node.name}</Raw>
          </span>
          {node.is_leader && <span className="tag tone-good">★ {say("nodes.leader")}</span>}
          {Object.entries(node.labels).map(([key, value]) => (
            <span key={key} className="soft small" translate="no">
              {key}={value}
            </span>
          ))}
        </span>
      </td>
      <td>
        <State of={isDraining && !isGone ? "draining" : node.health} family="health" />
        {node.drained_by && (
          <span className="soft small">
            {" "}
            <Raw>{node.drained_by}</Raw>
          </span>
        )}
      </td>
      <td data-label={say("nodes.beat")}>
        {isGone && node.ended_at ? (
          <At iso={node.ended_at} />
        ) : (
          <Took seconds={Math.max(0, node.beat_age_s)} />
        )}
      </td>
      <td>
        {isWorker && !isGone && (
          <span className="row">
            <span
              className="meter"
              role="meter"
              aria-label={say("nodes.load")}
              aria-valuenow={node.running}
              aria-valuemin={0}
              aria-valuemax={Math.max(node.slots, node.running)}
            >
              <i style={{ width: `${Math.min(100, (100 * node.running) / Math.max(1, node.slots))}%` }} />
            </span>
            <span className="nowrap">
              {node.running}/{node.slots}
            </span>
          </span>
        )}
      </td>
      <td>{isWorker && <Raw>{node.group}</Raw>}</td>
      <td data-label={say("nodes.clock")}>
        {offset !== null && (
          <span className={Math.abs(offset) > 1 ? "tone-wait nowrap" : "nowrap"}>
            {offset < 0 ? "−" : "+"}
            {duration(offset, units)}
          </span>
        )}
      </td>
      <td>
        <Raw>{node.version}</Raw>
      </td>
      <td>
        <Raw>{node.host}</Raw>
      </td>
      <td data-label={say("nodes.up")}>
        <At iso={node.started_at} />
      </td>
      <td className="tight">
        {rights.admin && isWorker && !isGone && (
          <Button size="compact-xs" variant="default" onClick={() => drain(node)}>
            {say(isDraining ? "nodes.undrain" : "nodes.drain")}
          </Button>
        )}
      </td>
    </tr>
  );
}
