/// The overview: what needs me, what runs, what comes next, what changed.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { jobWhy, lastFailure, overview } from "../api/queries.ts";
import type { ClusterOut, EventOut, HeldRunOut, JobOut, NodeOut, OverviewOut, RunOut } from "../api/types.ts";
import { count } from "../format/time.ts";
import { Command } from "../parts/Command.tsx";
import { EventLine } from "../parts/EventLine.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { lazyPart } from "../parts/lazyPart.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Maintenance } from "../parts/Maintenance.tsx";
import { ProblemBox } from "../parts/Problem.tsx";
import { Progress } from "../parts/Progress.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { useNamespace, useZone } from "../parts/settings.ts";
import { At, FromNow, Since, Took, useFromNow } from "../parts/Times.tsx";
import { type HeldList, NewPill, useHeld } from "../parts/useHeld.tsx";
import { WhyCard } from "../parts/WhyCard.tsx";
import { isWord, useSay } from "../words/say.ts";
import { type Need, needsOf } from "./needs.ts";

// What this first page needs a moment later comes in files of its own: the page is there sooner.
const Crowd = lazyPart(async () => (await import("../parts/Crowd.tsx")).Crowd);
const AlertLine = lazyPart(async () => (await import("../parts/AlertLine.tsx")).AlertLine, {
  waiting: <li />,
  instead: (error, again) => (
    <li>
      <ProblemBox error={error} again={again} />
    </li>
  ),
});
const RetryDialog = lazyPart(async () => (await import("../parts/actions.tsx")).RetryDialog);
const DrainDialog = lazyPart(async () => (await import("../parts/actions.tsx")).DrainDialog);
const LastDay = lazyPart(async () => (await import("../parts/LastDay.tsx")).LastDay);

export function OverviewPage() {
  const say = useSay();
  const query = useQuery({ ...overview(useZone()), refetchInterval: 10_000 });
  return (
    <>
      <div className="title">
        <h1>{say("over.title")}</h1>
      </div>
      <Loaded query={query} rows={8}>
        {(found) => <Content found={found} />}
      </Loaded>
    </>
  );
}

function Content({ found }: { found: OverviewOut }) {
  const say = useSay();
  const namespace = useNamespace();
  const needs = useMemo(() => needsOf(found), [found]);
  const heldNeeds = useHeld(needs, keyOf, namespace);
  const heldRuns = useHeld(found.running, (run) => run.id, namespace);
  // A namespace without jobs of its own, and jobs that only wait to be triggered, are no first use.
  if (found.namespaces.length === 0 && needs.length === 0) return <FirstUse />;
  return (
    <div className="columns">
      <div>
        {found.cluster && <Maintenance cluster={found.cluster} />}
        <section className="part" aria-labelledby="needs">
          <h2 id="needs" className="beside">
            {say("over.needs")} {needs.length > 0 && `(${needs.length})`}
          </h2>
          <NewPill {...heldNeeds} />
          {heldNeeds.rows.length === 0 && <Quiet />}
          <ul className="lines" {...heldNeeds.around}>
            {heldNeeds.rows.map(({ item, isGone }) => (
              <NeedLine key={keyOf(item)} need={item} isGone={isGone} />
            ))}
          </ul>
        </section>
        <section className="part" aria-labelledby="running">
          <h2 id="running" className="beside">
            {say("over.running")} {found.running.length > 0 && <RunningCount found={found} />}
          </h2>
          <NewPill {...heldRuns} />
          <Running rows={heldRuns.rows} around={heldRuns.around} />
        </section>
        {found.cluster && (
          <section className="part" aria-labelledby="day">
            <h2 id="day">
              {say("span.24h")} <WholeCluster />
            </h2>
            <LastDay />
          </section>
        )}
        <section className="part" aria-labelledby="crowd">
          <h2 id="crowd">{say("over.crowd")}</h2>
          <Crowd />
        </section>
      </div>
      <div>
        {found.cluster && (
          <section className="part" aria-labelledby="cluster">
            <h2 id="cluster">{say("over.cluster")}</h2>
            <Cluster cluster={found.cluster} />
          </section>
        )}
        <section className="part" aria-labelledby="next">
          <h2 id="next">{say("over.next")}</h2>
          <Next jobs={found.next} />
        </section>
        <section className="part" aria-labelledby="changes">
          <h2 id="changes">{say("over.changes")}</h2>
          <Changes events={found.changes} />
        </section>
      </div>
    </div>
  );
}

const LISTED_MAX = 20; // the server names so many of those that run

/** How many run, as a link to them. The cluster knows of all; of a namespace those are counted that are listed. */
function RunningCount({ found }: { found: OverviewOut }) {
  const listed = found.running.length;
  const all = useNamespace() === "" ? found.cluster?.running : undefined;
  const more = all === undefined && listed >= LISTED_MAX ? "+" : "";
  return (
    <Link to="/runs" search={{ state: "RUNNING" }}>
      ({count(Math.max(all ?? 0, listed))}
      {more})
    </Link>
  );
}

/** Figures of the last day are those of all namespaces together, whichever is chosen. */
function WholeCluster() {
  const say = useSay();
  if (useNamespace() === "") return null;
  return <span className="soft small">{say("stats.whole_cluster")}</span>;
}

/** Nothing needs anybody: when it last did. */
function Quiet() {
  const say = useSay();
  const { data } = useQuery(lastFailure(useNamespace()));
  return (
    <>
      <p className="tone-good">
        <span aria-hidden="true">✔</span> {say("over.quiet")}
      </p>
      {data?.ended_at && (
        <p className="row soft">
          {say("over.last_failure")} <FromNow iso={data.ended_at} />
          <JobLink job={{ name: data.job, namespace: data.namespace }} />
          <RunLink run={data.id} />
        </p>
      )}
    </>
  );
}

function keyOf(need: Need): string {
  switch (need.is) {
    case "alert":
      return `alert ${need.alert.id}`;
    case "held":
      return need.held.run.id;
    case "node":
      return need.node.id;
    case "trouble":
      return need.trouble.code + need.trouble.message;
    default:
      return `${need.is} ${need.job.namespace}/${need.job.name}`;
  }
}

/** `isGone`: nobody is needed for it any more. */
function NeedLine({ need, isGone }: { need: Need; isGone: boolean }) {
  const say = useSay();
  const ago = useFromNow();
  const rights = useRights();
  const [isOpen, setOpen] = useState(false);
  if (need.is === "alert") {
    return <AlertLine alert={need.alert} isGone={isGone} />;
  }
  if (need.is === "failing") {
    const { job } = need;
    const run = job.last_run;
    const rank = job.rank;
    const isOfMany = rank !== null && rank.runs > 1;
    const says = isOfMany
      ? say("over.failing", { failed: rank.failed, runs: rank.runs })
      : say("over.failing_once");
    const kind = `kind.${run?.kind ?? ""}`;
    return (
      <li className={isGone ? "gone" : undefined}>
        <State of="FAILED" />
        <JobLink job={job} />
        <span className="soft">{says}</span>
        {isWord(kind) && <span className="tag tone-bad">{say(kind)}</span>}
        <span className="end">
          {run && <RunButton run={run.id} label={say("do.log")} />}
          {run && rights.run && (
            <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
              {say("do.retry")}
            </Button>
          )}
        </span>
        {isOpen && run && <RetryDialog run={{ id: run.id, job: job.name }} close={() => setOpen(false)} />}
      </li>
    );
  }
  if (need.is === "late") {
    const due = need.job.next_due_at ?? need.job.next_at ?? "";
    return (
      <li className={isGone ? "gone" : undefined}>
        <span className="tag tone-wait">{say("job.late")}</span>
        <JobLink job={need.job} />
        <span className="soft">{say("over.late", { ago: ago(due) })}</span>
        <span className="end">
          <Button size="compact-xs" variant="default" onClick={() => setOpen(!isOpen)}>
            {say("job.why")}
          </Button>
        </span>
        {isOpen && <LateWhy job={need.job} due={due} />}
      </li>
    );
  }
  if (need.is === "held") return <HeldLine {...need.held} isGone={isGone} />;
  if (need.is === "node") {
    return (
      <li className={isGone ? "aside gone" : "aside"}>
        <div className="says">
          <State of={need.node.health} family="health" />
          <NodeLink node={need.node.name} called={need.node.id} />
          {need.node.health_why ? (
            <p className="raw">{need.node.health_why}</p>
          ) : (
            <p>{say("over.node", { ago: ago(need.node.last_beat_at) })}</p>
          )}
        </div>
        <span className="end">
          {rights.admin && isDrainable(need.node) && (
            <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
              {say("nodes.drain")}
            </Button>
          )}
          {need.node.health === "DEAD" && (
            <Link to="/nodes" search={{ tab: "failovers" }}>
              {say("nodes.tab_failovers")}
            </Link>
          )}
        </span>
        {isOpen && <DrainDialog node={need.node} close={() => setOpen(false)} />}
      </li>
    );
  }
  return (
    <li className={isGone ? "gone" : undefined}>
      <span className="tag tone-bad" translate="no">
        {need.trouble.code}
      </span>
      <span>{need.trouble.message}</span>
      {need.trouble.hint && <p>{need.trouble.hint}</p>}
    </li>
  );
}

function isDrainable(node: NodeOut): boolean {
  return node.kind !== "server" && node.health !== "DEAD" && node.state !== "DRAINING";
}

/** A run that something keeps from starting: what it is, and the next step. */
export function HeldLine({ run, why, isGone = false }: HeldRunOut & { isGone?: boolean }) {
  const say = useSay();
  return (
    <li className={isGone ? "aside gone" : "aside"}>
      <div className="says">
        <State of="HELD" />
        <JobLink job={{ name: run.job, namespace: run.namespace }} />
        <p className="raw">{why.sentence}</p>
        {why.hint && <p className="raw">{why.hint}</p>}
      </div>
      <span className="end">
        <RunButton run={run.id} label={say("do.open")} />
      </span>
    </li>
  );
}

function LateWhy({ job, due }: { job: JobOut; due: string }) {
  const zone = useZone();
  const query = useQuery(jobWhy(job.namespace, job.name, due, zone));
  return (
    <div className="whole">
      <Loaded query={query} rows={1}>
        {(found) => found.items.map((why) => <WhyCard key={why.at ?? why.sentence} why={why} />)}
      </Loaded>
    </div>
  );
}

function RunButton({ run, label }: { run: string; label: string }) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      renderRoot={(props) => <Link to="/runs/$run" params={{ run }} {...props} />}
    >
      {label}
    </Button>
  );
}

function Running({ rows, around }: Pick<HeldList<RunOut>, "rows" | "around">) {
  const say = useSay();
  if (rows.length === 0) return <p className="soft">{say("over.nothing_running")}</p>;
  return (
    <ul className="lines" {...around}>
      {rows.map(({ item: run, isGone }) => (
        <li key={run.id} className={isGone ? "gone" : undefined}>
          {!isGone && <State of={run.shown} />}
          <JobLink job={{ name: run.job, namespace: run.namespace }} />
          <RunLink run={run.id} />
          {run.node && <NodeLink node={run.node} />}
          {!isGone && run.progress && <Progress of={run.progress} />}
          <span className="end soft">{!isGone && run.started_at && <Since iso={run.started_at} />}</span>
        </li>
      ))}
    </ul>
  );
}

function Next({ jobs }: { jobs: JobOut[] }) {
  const say = useSay();
  if (jobs.length === 0) return <p className="soft">{say("over.nothing_next")}</p>;
  return (
    <ul className="lines">
      {jobs.slice(0, 12).map((job) => {
        const at = job.next_due_at ?? job.next_at;
        return (
          <li key={`${job.namespace}/${job.name}`}>
            {at && <At iso={at} />}
            <JobLink job={job} />
            <span className="end soft">{at && <FromNow iso={at} />}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Changes({ events }: { events: EventOut[] }) {
  const say = useSay();
  if (events.length === 0) return <p className="soft">{say("over.no_changes")}</p>;
  return (
    <ul className="lines">
      {events.slice(0, 10).map((event) => (
        <EventLine key={event.id} event={event} />
      ))}
    </ul>
  );
}

/** Those that should be there: each by its name, whatever session it has, without those that left. */
function serversOf(cluster: ClusterOut): number {
  const servers = cluster.nodes.filter((node) => node.kind === "server" && node.health !== "LEFT");
  return Math.max(cluster.servers_online, new Set(servers.map((node) => node.name)).size);
}

export function Cluster({ cluster }: { cluster: ClusterOut }) {
  const say = useSay();
  return (
    <dl className="figures">
      <div>
        <dt>{say("over.leader")}</dt>
        <dd>{cluster.leader ? <Raw>{cluster.leader}</Raw> : say("over.no_leader")}</dd>
        <dd className="soft small">{say("over.term", { term: cluster.term })}</dd>
        {cluster.leader_since && (
          <dd className="soft small">
            {say("nodes.since")} <At iso={cluster.leader_since} />
          </dd>
        )}
      </div>
      <div>
        <dt>{say("over.servers")}</dt>
        <dd>
          {cluster.servers_online}
          <span className="soft small">
            {" "}
            / {serversOf(cluster)} {say("health.ONLINE")}
          </span>
        </dd>
      </div>
      <div>
        <dt>{say("over.workers")}</dt>
        <dd>
          {cluster.workers_online}
          {cluster.workers_warning > 0 && <span className="tone-wait"> ▲ {cluster.workers_warning}</span>}
        </dd>
      </div>
      <div>
        <dt>{say("over.running_count")}</dt>
        <dd>
          {count(cluster.running)}{" "}
          <span className="soft small">
            / {count(cluster.slots)} {say("over.slots")}
          </span>
        </dd>
      </div>
      <div>
        <dt>{say("over.queue")}</dt>
        <dd>{count(cluster.queue)}</dd>
        {cluster.oldest_ready_s !== null && cluster.oldest_ready_s >= 1 && (
          <dd className="soft small">
            <Took seconds={cluster.oldest_ready_s} />
          </dd>
        )}
      </div>
    </dl>
  );
}

const FIRST_JOB = `from foliot import every, job


@job(every("10s"))
def hello() -> str:
    return "hello"`;

function FirstUse() {
  const say = useSay();
  return (
    <section className="part stack" aria-labelledby="first">
      <h2 id="first">{say("over.first_title")}</h2>
      <p>1. {say("over.first_1")}</p>
      <Command text={FIRST_JOB} />
      <p>2. {say("over.first_2")}</p>
      <Command text="foliot up" />
      <p>3. {say("over.first_3")}</p>
      <Command text="foliot job trigger hello" />
    </section>
  );
}
