/// How runs went in a range of time, of a job or of a node: figures, three charts, a table, and each node's share; of a
/// server, what it fired and leased.
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { jobStats, nodeStats } from "../api/queries.ts";
import type { RangeStats } from "../api/stats.ts";
import type { JobOut, NodeFiguresOut, NodeStatsOut, PointOut, SpreadOut } from "../api/types.ts";
import { dayOf } from "../format/day.ts";
import { SPANS, type Span, STEP_MS, spanOf, stepAt, type TimeRange } from "../format/figures.ts";
import { count, duration, percent } from "../format/time.ts";
import { Anomalies } from "../parts/Anomalies.tsx";
import { FireChart, FireTable } from "../parts/FireChart.tsx";
import { Fold } from "../parts/Fold.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { NodeLink } from "../parts/links.tsx";
import { OutcomeChart, OutcomeCounts } from "../parts/Outcomes.tsx";
import { RangeBar } from "../parts/RangeBar.tsx";
import { Scatter } from "../parts/Scatter.tsx";
import { useZone } from "../parts/settings.ts";
import { LineChart } from "../parts/TimeChart.tsx";
import { At, Took } from "../parts/Times.tsx";
import { useSay, useUnits } from "../words/say.ts";

const SHARES = ["p50", "p95", "p99"] as const;

export function JobStatistics({ job }: { job: JobOut }) {
  const { span: asked, from, to } = useSearch({ from: "/jobs/$namespace/$name" });
  const navigate = useNavigate({ from: "/jobs/$namespace/$name" });
  const span = spanOf(asked);
  const chosen = from && to ? { from, to } : null;
  const query = useQuery(jobStats(job.namespace, job.name, span, chosen));
  const choose = (range: TimeRange | null) =>
    void navigate({ search: { tab: "stats", span, ...range }, replace: chosen !== null && range !== null });
  return (
    <>
      <Choice
        span={span}
        choose={(next) => void navigate({ search: { tab: "stats", span: next }, replace: true })}
      />
      <Loaded query={query} rows={6}>
        {(found) => <Content found={found} job={job} chosen={chosen} choose={choose} />}
      </Loaded>
    </>
  );
}

export function NodeStatistics({ name, isServer }: { name: string; isServer: boolean }) {
  const say = useSay();
  const [span, setSpan] = useState<Span>(spanOf(undefined));
  const [chosen, setChosen] = useState<TimeRange | null>(null);
  const query = useQuery(nodeStats(name, span, chosen));
  return (
    <section aria-label={say("stats.of_node", { name })}>
      <Choice
        span={span}
        choose={(next) => {
          setSpan(next);
          setChosen(null);
        }}
      />
      <Loaded query={query} rows={3}>
        {(found) => (
          <>
            {isServer ? (
              <OfServer found={found} chosen={chosen} choose={setChosen} />
            ) : (
              <Content found={found} chosen={chosen} choose={setChosen} />
            )}
            <LoadCharts found={found} choose={setChosen} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Choice({ span, choose }: { span: Span; choose: (span: Span) => void }) {
  const say = useSay();
  return (
    <div className="filters">
      <NativeSelect
        aria-label={say("events.span")}
        value={span}
        onChange={(event) => choose(spanOf(event.currentTarget.value))}
        data={(Object.keys(SPANS) as Span[]).map((one) => ({ value: one, label: say(`span.${one}`) }))}
      />
      <span className="soft small">{say("stats.counted")}</span>
    </div>
  );
}

interface ContentProps {
  found: RangeStats;
  job?: JobOut;
  chosen: TimeRange | null;
  choose: (range: TimeRange | null) => void;
}

function Content({ found, job, chosen, choose }: ContentProps) {
  const say = useSay();
  const shown = { from: found.from_at, to: found.to_at };
  const bar = <RangeBar shown={shown} isChosen={chosen !== null} choose={choose} />;
  if (found.runs === 0) {
    return (
      <>
        {chosen && bar}
        <p className="empty">{say("stats.none")}</p>
        {found.anomalies && <Anomalies of={found.anomalies} withJob={false} />}
      </>
    );
  }
  return (
    <div className="stats stack">
      <Figures found={found} />
      <OutcomeCounts outcomes={found.outcomes} />
      {bar}
      <Charts found={found} job={job} choose={choose} />
      {job && <Scatter job={job} range={found} choose={choose} />}
      <details>
        <summary>{say("stats.table")}</summary>
        <Steps found={found} job={job} />
      </details>
      {found.anomalies && <Anomalies of={found.anomalies} withJob={false} />}
      {found.nodes.length > 0 && (
        <section aria-labelledby="on-nodes">
          <h2 id="on-nodes">{say("stats.nodes")}</h2>
          <OnNodes nodes={found.nodes} />
        </section>
      )}
    </div>
  );
}

const TALLIES = ["scheduled", "skipped", "leased"] as const;

/** A server has no runs of its own: it decides instants and leases runs. */
function OfServer({ found, chosen, choose }: Omit<ContentProps, "found"> & { found: NodeStatsOut }) {
  const say = useSay();
  const { load } = found;
  const shown = { from: found.from_at, to: found.to_at };
  return (
    <div className="stats stack">
      <RangeBar shown={shown} isChosen={chosen !== null} choose={choose} />
      {load === null && <p className="empty">{say("stats.unseen")}</p>}
      {load !== null && (
        <>
          <dl className="figures">
            {TALLIES.map((tally) => (
              <Figure key={tally} name={say(`stats.${tally}`)}>
                {count(load[tally])}
              </Figure>
            ))}
          </dl>
          <FireChart found={found} tallies={TALLIES} choose={choose} />
          <FireTable found={found} tallies={TALLIES} />
        </>
      )}
    </div>
  );
}

function Figures({ found }: { found: RangeStats }) {
  const say = useSay();
  const { duration_s: took, queue_delay_s: delay } = found;
  return (
    <dl className="figures">
      <Figure name={say("stats.runs")}>{count(found.runs)}</Figure>
      <Figure name={say("job.success")}>{rate(found.success_rate)}</Figure>
      <Figure name={say("stats.mean")}>
        <Took seconds={took?.mean} />
      </Figure>
      {SHARES.map((share) => (
        <Figure key={share} name={say("stats.took", { share: say(`stats.${share}`) })}>
          <Took seconds={took?.[share]} />
        </Figure>
      ))}
      <Figure name={say("stats.longest")}>
        <Took seconds={took?.max} />
      </Figure>
      {SHARES.map((share) => (
        <Figure key={share} name={say("stats.waited", { share: say(`stats.${share}`) })}>
          <Took seconds={delay?.[share]} />
        </Figure>
      ))}
      <Figure name={say("stats.retries")}>{count(found.retries)}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface ChartsProps {
  found: RangeStats;
  job: JobOut | undefined;
  choose: (range: TimeRange) => void;
}

function Charts({ found, job, choose }: ChartsProps) {
  const navigate = useNavigate();
  const say = useSay();
  const units = useUnits();
  const lines = (spread: (point: PointOut) => SpreadOut | null) =>
    SHARES.map((share) => ({
      name: say(`stats.${share}`),
      values: found.points.map((point) => ({ start: point.start, value: spread(point)?.[share] ?? null })),
    }));
  const span = (seconds: number) => duration(seconds, units);
  const openRuns = (atMs: number) => {
    const { from, to } = stepAt(atMs, STEP_MS[found.step]);
    if (job) void navigate({ to: "/runs", search: { ...runsOf(job), ended_since: from, ended_until: to } });
  };
  return (
    <>
      <OutcomeChart found={found} choose={choose} press={openRuns} />
      <LineChart
        title={say("stats.durations")}
        range={found}
        lines={lines((point) => point.duration_s)}
        top={span}
        choose={choose}
      />
      <LineChart
        title={say("stats.delays")}
        range={found}
        lines={lines((point) => point.queue_delay_s)}
        top={span}
        choose={choose}
      />
    </>
  );
}

/** The figures of the charts, newest first. A step of a job leads to its day. */
function Steps({ found, job }: { found: RangeStats; job: JobOut | undefined }) {
  const say = useSay();
  const zone = useZone();
  return (
    <ListTable
      label={say("stats.table")}
      heads={[
        "stats.start",
        ...(["stats.runs", "state.SUCCEEDED", "state.FAILED", "state.CANCELLED"] as const).map(right),
        ...(["stats.p50", "stats.p95", "stats.p99", "stats.delay_p50", "stats.delay_p95"] as const).map(
          right,
        ),
      ]}
    >
      {[...found.points].reverse().map((point) => (
        <tr key={point.start}>
          <td className="first">
            {job ? (
              <Link
                to="/jobs/$namespace/$name"
                params={{ namespace: job.namespace, name: job.name }}
                search={{ tab: "day", day: dayOf(Date.parse(point.start), zone) }}
              >
                <At iso={point.start} />
              </Link>
            ) : (
              <At iso={point.start} />
            )}
          </td>
          <Cell label={say("stats.runs")}>
            {job ? <StepRuns job={job} point={point} step={found.step} /> : count(point.runs)}
          </Cell>
          <Cell label={say("state.SUCCEEDED")}>{count(point.succeeded)}</Cell>
          <Cell label={say("state.FAILED")}>{count(point.failed)}</Cell>
          <Cell label={say("state.CANCELLED")}>{count(point.cancelled)}</Cell>
          {SHARES.map((share) => (
            <Cell key={share} label={say(`stats.${share}`)}>
              <Took seconds={point.duration_s?.[share]} />
            </Cell>
          ))}
          <Cell label={say("stats.delay_p50")}>
            <Took seconds={point.queue_delay_s?.p50} />
          </Cell>
          <Cell label={say("stats.delay_p95")}>
            <Took seconds={point.queue_delay_s?.p95} />
          </Cell>
        </tr>
      ))}
    </ListTable>
  );
}

function runsOf(job: JobOut): { job: string; namespace?: string } {
  return job.namespace === "default" ? { job: job.name } : { job: job.name, namespace: job.namespace };
}

/** How many runs ended in a step, as a link to them. */
function StepRuns({ job, point, step }: { job: JobOut; point: PointOut; step: RangeStats["step"] }) {
  const { from, to } = stepAt(Date.parse(point.start), STEP_MS[step]);
  return (
    <Link to="/runs" search={{ ...runsOf(job), ended_since: from, ended_until: to }}>
      {count(point.runs)}
    </Link>
  );
}

/** CPU and memory of a node over time: the mean of each step, and its highest. */
function LoadCharts({ found, choose }: { found: NodeStatsOut; choose: (range: TimeRange) => void }) {
  const say = useSay();
  if (found.load_points.length === 0) return null;
  const lines = (reading: "cpu" | "memory") =>
    (["mean", "max"] as const).map((which) => ({
      name: say(`stats.${which}_load`),
      values: found.load_points.map((point) => ({
        start: point.start,
        value: point[reading]?.[which] ?? null,
      })),
    }));
  return (
    <div className="stats stack">
      {(["cpu", "memory"] as const).map((reading) => (
        <LineChart
          key={reading}
          title={say(`load.${reading}`)}
          range={found}
          lines={lines(reading)}
          top={percent}
          choose={choose}
        />
      ))}
      <Fold says={say("stats.load_table")}>{() => <LoadTable found={found} />}</Fold>
    </div>
  );
}

const LOADS = [
  ["cpu", "mean", "stats.cpu_mean"],
  ["cpu", "max", "stats.cpu_max"],
  ["memory", "mean", "stats.memory_mean"],
  ["memory", "max", "stats.memory_max"],
] as const;

/** The figures of these charts, newest first. */
function LoadTable({ found }: { found: NodeStatsOut }) {
  const say = useSay();
  return (
    <ListTable
      label={say("stats.load_table")}
      heads={["stats.start", ...LOADS.map(([, , word]) => right(word))]}
    >
      {found.load_points.toReversed().map((point) => (
        <tr key={point.start}>
          <td className="first">
            <At iso={point.start} />
          </td>
          {LOADS.map(([reading, which, word]) => {
            const share = point[reading]?.[which];
            return (
              <Cell key={word} label={say(word)}>
                {share === undefined || share === null ? "–" : percent(share)}
              </Cell>
            );
          })}
        </tr>
      ))}
    </ListTable>
  );
}

function OnNodes({ nodes }: { nodes: NodeFiguresOut[] }) {
  const say = useSay();
  return (
    <ListTable
      label={say("stats.nodes")}
      heads={[
        "runs.node",
        ...(["stats.runs", "job.success", "stats.mean", "stats.p50", "stats.p95", "stats.p99"] as const).map(
          right,
        ),
        right("stats.delay_p95"),
      ]}
    >
      {nodes.map((one) => (
        <tr key={one.node}>
          <td className="first">
            <NodeLink node={one.node} />
          </td>
          <Cell label={say("stats.runs")}>{count(one.runs)}</Cell>
          <Cell label={say("job.success")}>{rate(one.success_rate)}</Cell>
          <Cell label={say("stats.mean")}>
            <Took seconds={one.duration_s?.mean} />
          </Cell>
          {SHARES.map((share) => (
            <Cell key={share} label={say(`stats.${share}`)}>
              <Took seconds={one.duration_s?.[share]} />
            </Cell>
          ))}
          <Cell label={say("stats.delay_p95")}>
            <Took seconds={one.queue_delay_s?.p95} />
          </Cell>
        </tr>
      ))}
    </ListTable>
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <td className="right" data-label={label}>
      {children}
    </td>
  );
}

function right<W>(word: W): { word: W; isRight: true } {
  return { word, isRight: true };
}

function rate(share: number | null): string {
  return share === null ? "–" : percent(share);
}
