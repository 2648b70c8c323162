/// The cluster: its nodes, how healthy it is, what failed, and what is done about failures.
import { Button, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ProblemError } from "../api/call.ts";
import { cluster, overview } from "../api/queries.ts";
import type { ClusterOut, NodeOut } from "../api/types.ts";
import { type History, withBeat } from "../format/history.ts";
import { isWanted, labelsOf, nodeCalled } from "../format/labels.ts";
import { DrainDialog, StepDownDialog } from "../parts/actions.tsx";
import { Command } from "../parts/Command.tsx";
import { MaintenanceDialog } from "../parts/clusterActions.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Maintenance } from "../parts/Maintenance.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { useZone } from "../parts/settings.ts";
import { useSay } from "../words/say.ts";
import { Drills } from "./Drills.tsx";
import { Failovers } from "./Failovers.tsx";
import { Health } from "./Health.tsx";
import { NodeTable } from "./NodeTable.tsx";
import { Cluster, HeldLine } from "./Overview.tsx";
import { Policies } from "./Policies.tsx";
import { Terms } from "./Terms.tsx";

const NAMES_MAX = 100;
const BANDS = ["ONLINE", "WARNING", "OFFLINE", "DEAD"] as const;

export function NodesPage() {
  const say = useSay();
  const { tab = "nodes" } = useSearch({ from: "/nodes" });
  const navigate = useNavigate({ from: "/nodes" });
  return (
    <>
      <div className="title">
        <h1>{say("nodes.title")}</h1>
      </div>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: next === "nodes" || !next ? {} : { tab: next } })}
        keepMounted={false}
      >
        <Tabs.List aria-label={say("nodes.tabs")} mb="md">
          <Tabs.Tab value="nodes">{say("nodes.tab_nodes")}</Tabs.Tab>
          <Tabs.Tab value="health">{say("nodes.tab_health")}</Tabs.Tab>
          <Tabs.Tab value="failovers">{say("nodes.tab_failovers")}</Tabs.Tab>
          <Tabs.Tab value="policy">{say("nodes.tab_policy")}</Tabs.Tab>
          <Tabs.Tab value="drills">{say("nodes.tab_drills")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="nodes">
          <Nodes />
        </Tabs.Panel>
        <Tabs.Panel value="health">
          <Health />
        </Tabs.Panel>
        <Tabs.Panel value="failovers">
          <Failovers />
        </Tabs.Panel>
        <Tabs.Panel value="policy">
          <Policies />
        </Tabs.Panel>
        <Tabs.Panel value="drills">
          <Drills />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Nodes() {
  const say = useSay();
  const query = useQuery(cluster());
  const isLimited = query.error instanceof ProblemError && query.error.status === 403;
  if (isLimited) return <p className="empty">{say("nodes.limited")}</p>;
  return (
    <Loaded query={query} rows={6}>
      {(found) => <Content found={found} />}
    </Loaded>
  );
}

function Content({ found }: { found: ClusterOut }) {
  const say = useSay();
  const rights = useRights();
  const { band, label = "", node: called } = useSearch({ from: "/nodes" });
  const navigate = useNavigate({ from: "/nodes" });
  const [history, setHistory] = useState<History>({});
  useEffect(() => setHistory((before) => withBeat(before, found.nodes)), [found]);
  const [drained, setDrained] = useState<NodeOut | null>(null);
  const [isHanding, setHanding] = useState(false);
  const [isResting, setResting] = useState(false);
  const labelled = found.nodes.filter((node) => isWanted(node, label));
  const shown = labelled.filter((node) => band === undefined || node.health === band);
  const open = called === undefined ? undefined : nodeCalled(found.nodes, called);
  const servers = shown.filter((node) => node.kind === "server");
  const workers = shown.filter((node) => node.kind !== "server");
  const others = found.nodes.filter(
    (node) => node.kind === "server" && node.role !== "STANDBY" && isThere(node) && !node.is_leader,
  );
  const hasFew = found.nodes.filter((node) => node.kind !== "server").length <= 1;
  return (
    <>
      <Maintenance cluster={found} />
      <Cluster cluster={found} />
      <div className="facts gap">
        <span>
          {say("nodes.store")} <Raw>{found.store}</Raw>
        </span>
        <span>{say("nodes.epoch", { epoch: found.epoch })}</span>
        {found.coordinators.map((one) => (
          <span key={one.name}>
            <Raw>{one.name}</Raw> {say("nodes.reached", { by: one.reached_by, servers: one.servers })}
          </span>
        ))}
        {rights.admin && others.length > 0 && (
          <Button size="compact-xs" variant="default" onClick={() => setHanding(true)}>
            {say("nodes.step_down")}
          </Button>
        )}
        {rights.admin && (
          <Button size="compact-xs" variant="default" onClick={() => setResting(true)}>
            {say(found.maintenance ? "maintenance.end" : "maintenance.begin")}
          </Button>
        )}
      </div>
      {found.troubles.map((trouble) => (
        <div className="problem" key={trouble.message}>
          <p>
            <strong>{trouble.message}</strong>
          </p>
          {trouble.hint && <p className="soft">{trouble.hint}</p>}
        </div>
      ))}
      <Unplaced />
      <div className="filters gap">
        <FilterText
          value={label}
          set={(written) =>
            void navigate({ search: (before) => ({ ...before, label: written || undefined }), replace: true })
          }
          hint={say("nodes.label_hint", { example: "zone=cn-east" })}
          choices={choicesOf(found.nodes)}
        />
        <Bands nodes={labelled} band={band} />
      </div>
      {called !== undefined && open === undefined && (
        <p className="soft" role="status">
          {say("nodes.not_there", { name: called })}
        </p>
      )}
      <section className="part gap nodetables" aria-labelledby="servers">
        <h2 id="servers">{say("nodes.servers")}</h2>
        <NodeTable
          label={say("nodes.servers")}
          nodes={servers}
          all={found.nodes}
          open={open}
          history={history}
          drain={setDrained}
        />
      </section>
      <section className="part nodetables" aria-labelledby="workers">
        <h2 id="workers">{say("nodes.workers")}</h2>
        <NodeTable
          label={say("nodes.workers")}
          nodes={workers}
          all={found.nodes}
          open={open}
          history={history}
          drain={setDrained}
        />
        {hasFew && (
          <div className="empty">
            <p>{say("nodes.none")}</p>
            <Command text={`foliot worker jobs.py --server ${window.location.origin}`} />
          </div>
        )}
      </section>
      <Terms cluster={found} />
      {drained && <DrainDialog node={drained} close={() => setDrained(null)} />}
      {isResting && <MaintenanceDialog cluster={found} close={() => setResting(false)} />}
      {isHanding && <StepDownDialog leader={found.leader} to={others} close={() => setHanding(false)} />}
    </>
  );
}

/** What can be written into the filter: the labels, and the names while they are few. */
function choicesOf(nodes: NodeOut[]): string[] {
  const names = [...new Set(nodes.map((node) => node.name))];
  return [...labelsOf(nodes), ...names.slice(0, NAMES_MAX)];
}

/** The verdicts of runs that wait for a worker: it is missing, or has not what they need. */
const WITHOUT_WORKER = ["held_nobody", "held_group", "held_handler", "held_label", "held_draining"];

/** One run of each job that no worker takes, with the sentence and the next step. The frame has read them already. */
function Unplaced() {
  const say = useSay();
  const { data } = useQuery(overview(useZone()));
  const held = (data?.held ?? []).filter(({ why }) => WITHOUT_WORKER.includes(why.verdict));
  if (held.length === 0) return null;
  return (
    <section className="part" aria-labelledby="unplaced">
      <h2 id="unplaced">{say("nodes.unplaced")}</h2>
      <ul className="lines">
        {held.map(({ run, why }) => (
          <HeldLine key={run.id} run={run} why={why} />
        ))}
      </ul>
    </section>
  );
}

function isThere(node: NodeOut): boolean {
  return node.state === "LIVE" && (node.health === "ONLINE" || node.health === "WARNING");
}

/** How many nodes are in each band; a press shows only these. */
function Bands({ nodes, band }: { nodes: NodeOut[]; band: string | undefined }) {
  const say = useSay();
  const navigate = useNavigate({ from: "/nodes" });
  return (
    <div className="row bands" role="group" aria-label={say("nodes.bands")}>
      {BANDS.map((one) => (
        <Button
          key={one}
          size="compact-sm"
          variant={band === one ? "light" : "default"}
          aria-pressed={band === one}
          onClick={() =>
            void navigate({
              search: (before) => ({ ...before, band: band === one ? undefined : one }),
              replace: true,
            })
          }
        >
          <State of={one} family="health" />
          <b className="figure">{nodes.filter((node) => node.health === one).length}</b>
        </Button>
      ))}
    </div>
  );
}
