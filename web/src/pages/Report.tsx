/// One report: what matters most in sentences, the figures beside those of the period before, and the lists behind them.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CrowdedOut, JobLineOut, ReportNodeOut, ReportOut, TallyOut } from "../api/types.ts";
import { changeOf } from "../format/reportForm.ts";
import { count, duration, percent } from "../format/time.ts";
import { AlertLine } from "../parts/AlertLine.tsx";
import { Anomalies } from "../parts/Anomalies.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, NodeLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { At, Took } from "../parts/Times.tsx";
import { isWord, useSay, useUnits, type Word } from "../words/say.ts";

export function Report({ report }: { report: ReportOut }) {
  const say = useSay();
  return (
    <>
      <section className="part" aria-labelledby="report">
        <h2 id="report" className="raw">
          {report.title}
        </h2>
        <div className="why raw">
          {report.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
        <p className="facts">
          <span>
            <At iso={report.from_at} /> – <At iso={report.to_at} /> <Raw>{report.timezone}</Raw>
          </span>
          <span>
            {say("reports.made")} <At iso={report.made_at} />
          </span>
          {!report.is_over && <span className="tag tone-busy">{say("reports.goes_on")}</span>}
        </p>
      </section>
      <Figures report={report} />
      <Failing report={report} />
      <Anomalies of={report.anomalies} />
      <Alerts report={report} />
      <Slowest lines={report.slowest} />
      <Late lines={report.late} />
      <Growing lines={report.growing} />
      <Crowded points={report.crowded} by={report.crowded_by} />
      <Skips skips={report.skips} />
      <Nodes nodes={report.nodes} />
    </>
  );
}

interface Figure {
  word: Word;
  read: (tally: TallyOut) => number | null;
  form: "count" | "share" | "time";
  /** A figure that is mostly nothing is shown when it is something. */
  isRare?: boolean;
}

const FIGURES: Figure[] = [
  { word: "reports.runs", read: (tally) => tally.runs, form: "count" },
  { word: "reports.success", read: (tally) => tally.success_rate, form: "share" },
  { word: "reports.failed", read: (tally) => tally.failed, form: "count" },
  { word: "reports.cancelled", read: (tally) => tally.cancelled, form: "count", isRare: true },
  { word: "reports.retries", read: (tally) => tally.retries, form: "count", isRare: true },
  { word: "reports.busy", read: (tally) => tally.busy_s, form: "time" },
  { word: "reports.mean", read: (tally) => tally.mean_s, form: "time" },
  { word: "reports.mean_wait", read: (tally) => tally.mean_wait_s, form: "time" },
  { word: "reports.longest_wait", read: (tally) => tally.longest_wait_s, form: "time", isRare: true },
];

function Figures({ report }: { report: ReportOut }) {
  const say = useSay();
  const units = useUnits();
  const written = (value: number, form: Figure["form"]): string => {
    if (form === "count") return count(value);
    return form === "share" ? percent(value) : duration(value, units);
  };
  const shown = FIGURES.filter(({ read, isRare }) => {
    const value = read(report.now);
    return value !== null && (value !== 0 || !isRare);
  });
  const skipped = Object.values(report.skips).reduce((sum, one) => sum + one, 0);
  const counts = [
    ["reports.jobs_ran", `${count(report.jobs_ran)} / ${count(report.jobs)}`],
    ["reports.jobs_new", report.jobs_new > 0 ? count(report.jobs_new) : ""],
    ["reports.skipped", skipped > 0 ? count(skipped) : ""],
  ] as const;
  return (
    <section className="part" aria-labelledby="short">
      <h2 id="short">{say("reports.in_short")}</h2>
      <dl className="figures">
        {shown.map(({ word, read, form }) => {
          const value = read(report.now) ?? 0;
          const was = report.before && read(report.before);
          const change = form === "share" ? "" : changeOf(value, was);
          return (
            <div key={word}>
              <dt>{say(word)}</dt>
              <dd className={word === "reports.failed" && value > 0 ? "tone-bad" : undefined}>
                {written(value, form)}
              </dd>
              {was !== null && (
                <dd className="soft small">
                  {say("reports.was", { value: written(was, form) })}
                  {change && ` (${change})`}
                </dd>
              )}
            </div>
          );
        })}
        {counts
          .filter(([, value]) => value !== "")
          .map(([word, value]) => (
            <div key={word}>
              <dt>{say(word)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

interface TableProps<T> {
  id: string;
  title: string;
  rows: T[];
  keyOf: (row: T) => string;
  columns: { word: Word; cell: (row: T) => ReactNode; isRight?: boolean }[];
}

/** A list of a report; nothing when it is empty. The first column names the row. */
function Table<T>({ id, title, rows, keyOf, columns }: TableProps<T>) {
  const say = useSay();
  if (rows.length === 0) return null;
  const heads = columns.map(({ word, isRight }) => (isRight ? { word, isRight: true as const } : word));
  return (
    <section className="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ListTable label={title} heads={heads}>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ word, cell, isRight }, index) => (
              <td
                key={word}
                className={index === 0 ? "first" : isRight ? "right" : "wrapped"}
                data-label={index === 0 ? undefined : say(word)}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </ListTable>
    </section>
  );
}

const keyOfLine = (line: JobLineOut) => `${line.namespace}/${line.job}`;
const JOB = {
  word: "reports.job",
  cell: (line: JobLineOut) => <JobLink job={{ name: line.job, namespace: line.namespace }} />,
} as const;
const RUNS = {
  word: "reports.col_runs",
  cell: (line: JobLineOut) => count(line.now.runs),
  isRight: true,
} as const;

function Failing({ report }: { report: ReportOut }) {
  const say = useSay();
  return (
    <Table
      id="failing"
      title={say("reports.failing")}
      rows={report.failing}
      keyOf={keyOfLine}
      columns={[
        JOB,
        {
          word: "reports.col_failed",
          isRight: true,
          cell: (line) => (
            <Link
              to="/runs"
              search={{
                job: line.job,
                namespace: line.namespace,
                state: "FAILED",
                ended_since: report.from_at,
                ended_until: report.to_at,
              }}
              className="tone-bad"
            >
              {count(line.now.failed)}
            </Link>
          ),
        },
        RUNS,
        { word: "reports.col_before", isRight: true, cell: (line) => count(line.before.failed) },
        { word: "reports.col_why", cell: (line) => <Kinds failures={line.failures} /> },
      ]}
    />
  );
}

function Kinds({ failures }: { failures: Record<string, number> }) {
  const say = useSay();
  return Object.entries(failures).map(([kind, many]) => {
    const word = `kind.${kind}`;
    return (
      <span key={kind} className="tag tone-bad">
        {isWord(word) ? say(word) : <Raw>{kind}</Raw>} {count(many)}
      </span>
    );
  });
}

function Slowest({ lines }: { lines: JobLineOut[] }) {
  const say = useSay();
  return (
    <Table
      id="slowest"
      title={say("reports.slowest")}
      rows={lines}
      keyOf={keyOfLine}
      columns={[
        JOB,
        RUNS,
        { word: "reports.col_mean", isRight: true, cell: (line) => <Took seconds={line.now.mean_s} /> },
        { word: "reports.col_p95", isRight: true, cell: (line) => <Took seconds={line.duration_s?.p95} /> },
        {
          word: "reports.col_longest",
          isRight: true,
          cell: (line) => <Took seconds={line.duration_s?.max} />,
        },
      ]}
    />
  );
}

function Late({ lines }: { lines: JobLineOut[] }) {
  const say = useSay();
  return (
    <Table
      id="late"
      title={say("reports.late")}
      rows={lines}
      keyOf={keyOfLine}
      columns={[
        JOB,
        RUNS,
        { word: "reports.col_mean", isRight: true, cell: (line) => <Took seconds={line.now.mean_wait_s} /> },
        {
          word: "reports.col_p95",
          isRight: true,
          cell: (line) => <Took seconds={line.queue_delay_s?.p95} />,
        },
        {
          word: "reports.col_longest",
          isRight: true,
          cell: (line) => <Took seconds={line.now.longest_wait_s} />,
        },
      ]}
    />
  );
}

function Growing({ lines }: { lines: JobLineOut[] }) {
  const say = useSay();
  return (
    <Table
      id="growing"
      title={say("reports.growing")}
      rows={lines}
      keyOf={keyOfLine}
      columns={[
        JOB,
        RUNS,
        { word: "reports.col_busy", isRight: true, cell: (line) => <Took seconds={line.now.busy_s} /> },
        { word: "reports.col_before", isRight: true, cell: (line) => <Took seconds={line.before.busy_s} /> },
        {
          word: "reports.col_change",
          isRight: true,
          cell: (line) => changeOf(line.now.busy_s, line.before.busy_s),
        },
      ]}
    />
  );
}

function Crowded({ points, by }: { points: CrowdedOut[]; by: ReportOut["crowded_by"] }) {
  const say = useSay();
  return (
    <Table
      id="crowded"
      title={say(`reports.crowded_${by}`)}
      rows={points}
      keyOf={(point) => point.start}
      columns={[
        { word: "reports.col_at", cell: (point) => <At iso={point.start} /> },
        { word: "reports.col_runs", isRight: true, cell: (point) => count(point.runs) },
        { word: "reports.col_jobs", isRight: true, cell: (point) => count(point.jobs) },
        { word: "reports.col_wait", isRight: true, cell: (point) => <Took seconds={point.longest_wait_s} /> },
      ]}
    />
  );
}

function Alerts({ report }: { report: ReportOut }) {
  const say = useSay();
  const all = Object.values(report.alerts).reduce((sum, one) => sum + one, 0);
  if (all === 0) return null;
  return (
    <section className="part" aria-labelledby="alerts">
      <h2 id="alerts">
        {say("reports.alerts")} ({count(all)})
        {report.alerts_open > 0 && (
          <span className="soft"> · {say("reports.still_open", { count: report.alerts_open })}</span>
        )}
      </h2>
      <ul className="lines">
        {report.alert_list.map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  );
}

function Skips({ skips }: { skips: Record<string, number> }) {
  const say = useSay();
  const all = Object.entries(skips);
  if (all.length === 0) return null;
  return (
    <section className="part" aria-labelledby="skips">
      <h2 id="skips">{say("reports.skips")}</h2>
      <ul className="lines">
        {all.map(([reason, many]) => {
          const word = `skip.${reason}`;
          return (
            <li key={reason}>
              {isWord(word) ? say(word) : <Raw>{reason}</Raw>}
              <span className="end">{count(many)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Nodes({ nodes }: { nodes: ReportNodeOut[] }) {
  const say = useSay();
  const load = (mean: number | null, most: number | null) =>
    mean === null ? "–" : say("reports.mean_most", { mean: percent(mean), most: percent(most ?? mean) });
  return (
    <Table
      id="nodes"
      title={say("reports.nodes")}
      rows={nodes}
      keyOf={(node) => node.node}
      columns={[
        { word: "reports.col_node", cell: (node) => <NodeLink node={node.node} /> },
        { word: "reports.col_runs", isRight: true, cell: (node) => count(node.runs) },
        { word: "reports.col_failed", isRight: true, cell: (node) => count(node.failed) },
        { word: "reports.col_busy", isRight: true, cell: (node) => <Took seconds={node.busy_s} /> },
        { word: "reports.col_cpu", isRight: true, cell: (node) => load(node.cpu, node.cpu_max) },
        { word: "reports.col_memory", isRight: true, cell: (node) => load(node.memory, node.memory_max) },
        {
          word: "reports.col_unwell",
          isRight: true,
          cell: (node) => (node.unwell === null ? "–" : percent(node.unwell)),
        },
      ]}
    />
  );
}
