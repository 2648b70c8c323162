/// Two runs beside each other: figures, logs line by line, parameters and results, attempts, versions.
import { Button, Checkbox, Tabs } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { runLines, run as runQuery } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { isGrave, type LogLine } from "../format/logLine.ts";
import { alignedLines, differences } from "../format/pairs.ts";
import { duration, exactTime } from "../format/time.ts";
import { ChangeTable } from "../parts/ChangeTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { useZone } from "../parts/settings.ts";
import { At, Took } from "../parts/Times.tsx";
import { useSay, useUnits, type Word } from "../words/say.ts";
import { Attempts } from "./Attempts.tsx";
import { VersionDiff } from "./JobVersions.tsx";

const LINES_MAX = 500;

export function ComparePage() {
  const say = useSay();
  const { one = "", other = "" } = useSearch({ from: "/runs/compare" });
  const first = useQuery(runQuery(one));
  const second = useQuery(runQuery(other));
  return (
    <>
      <div className="title">
        <h1>{say("pair.title")}</h1>
        <div className="acts">
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                to="/runs/compare"
                search={(before) => ({ ...before, one: other, other: one })}
                {...props}
              />
            )}
          >
            {say("pair.swap")}
          </Button>
        </div>
      </div>
      <Both one={first} other={second} rows={8}>
        {(left, right) => <Content one={left} other={right} />}
      </Both>
    </>
  );
}

/** Both answers, when both are here. */
function Both<T>(props: {
  one: UseQueryResult<T>;
  other: UseQueryResult<T>;
  rows: number;
  children: (one: T, other: T) => ReactNode;
}) {
  const { one, other, rows, children } = props;
  return (
    <Loaded query={one} rows={rows}>
      {(left) => (
        <Loaded query={other} rows={rows}>
          {(right) => children(left, right)}
        </Loaded>
      )}
    </Loaded>
  );
}

function Content({ one, other }: { one: RunOut; other: RunOut }) {
  const say = useSay();
  const { tab = "log" } = useSearch({ from: "/runs/compare" });
  const navigate = useNavigate({ from: "/runs/compare" });
  return (
    <>
      <Figures one={one} other={other} />
      <Tabs
        className="gap"
        value={tab}
        onChange={(next) =>
          void navigate({ search: (before) => ({ ...before, tab: next ?? "log" }), replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={say("pair.title")} mb="md">
          <Tabs.Tab value="log">{say("pair.tab_log")}</Tabs.Tab>
          <Tabs.Tab value="data">{say("pair.tab_data")}</Tabs.Tab>
          <Tabs.Tab value="attempts">{say("pair.tab_attempts")}</Tabs.Tab>
          <Tabs.Tab value="version">{say("pair.tab_version")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="log">
          <Logs one={one} other={other} />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <Data title={say("run.params")} one={one} other={other} of={(run) => run.params} />
          <Data title={say("run.result")} one={one} other={other} of={(run) => run.result} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          <div className="columns even">
            {[one, other].map((run) => (
              <section key={run.id} aria-label={run.id}>
                <h2>
                  <RunLink run={run.id} />
                </h2>
                <Attempts run={run} />
              </section>
            ))}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="version">
          <OfVersions one={one} other={other} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

interface Row {
  word: Word;
  show: (run: RunOut) => ReactNode;
  /** What is compared; rows whose values are the same are dimmed. */
  of: (run: RunOut) => unknown;
  /** Seconds, where a difference can be counted. */
  seconds?: (run: RunOut) => number | null;
}

const at = (iso: string | null) => (iso ? <At iso={iso} /> : "–");

function Figures({ one, other }: { one: RunOut; other: RunOut }) {
  const say = useSay();
  const rows: Row[] = [
    { word: "runs.state", of: (run) => run.shown, show: (run) => <State of={run.shown} /> },
    {
      word: "runs.job",
      of: (run) => `${run.namespace}/${run.job}`,
      show: (run) => <JobLink job={{ name: run.job, namespace: run.namespace }} />,
    },
    {
      word: "runs.duration",
      of: (run) => run.duration_s,
      show: (run) => <Took seconds={run.duration_s} />,
      seconds: (run) => run.duration_s,
    },
    {
      word: "runs.delay",
      of: (run) => run.delay_s,
      show: (run) => <Took seconds={run.delay_s} />,
      seconds: (run) => run.delay_s,
    },
    { word: "runs.due", of: (run) => run.due_at, show: (run) => at(run.due_at) },
    { word: "pair.started", of: (run) => run.started_at, show: (run) => at(run.started_at) },
    { word: "pair.ended", of: (run) => run.ended_at, show: (run) => at(run.ended_at) },
    { word: "runs.attempt", of: (run) => run.attempt, show: (run) => run.attempt },
    {
      word: "runs.node",
      of: (run) => run.node,
      show: (run) => (run.node ? <NodeLink node={run.node} /> : "–"),
    },
    { word: "pair.version", of: (run) => run.version, show: (run) => run.version },
    { word: "runs.origin", of: (run) => run.origin, show: (run) => say(`origin.${run.origin}`) },
    {
      word: "pair.error",
      of: (run) => run.error,
      show: (run) => <Raw>{run.error?.split("\n")[0] ?? "–"}</Raw>,
    },
  ];
  return (
    <table className="list pairtable" aria-label={say("pair.figures")}>
      <thead>
        <tr>
          <th>{say("pair.field")}</th>
          <th>
            <RunLink run={one.id} />
          </th>
          <th>
            <RunLink run={other.id} />
          </th>
          <th className="right">{say("pair.difference")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const isSame = row.of(one) === row.of(other);
          return (
            <tr key={row.word} className={isSame ? "alike" : undefined}>
              <th scope="row">{say(row.word)}</th>
              <td>{row.show(one)}</td>
              <td>{row.show(other)}</td>
              <td className="right">
                {row.seconds && <By one={row.seconds(one)} other={row.seconds(other)} />}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** `× 1.4`, or `÷ 20` of something that became smaller. */
function timesAs(ratio: number): string {
  const size = ratio >= 1 ? ratio : 1 / ratio;
  return `${ratio >= 1 ? "×" : "÷"} ${size.toFixed(size < 10 ? 1 : 0)}`;
}

/** How much longer or shorter the second took. */
function By({ one, other }: { one: number | null; other: number | null }) {
  const units = useUnits();
  if (one === null || other === null || one === other) return null;
  const sign = other > one ? "+" : "−";
  const times = one > 0 && other > 0 ? ` (${timesAs(other / one)})` : "";
  return (
    <span className={other > one ? "tone-wait nowrap" : "tone-good nowrap"}>
      {sign}
      {duration(other - one, units)}
      {times}
    </span>
  );
}

function Logs({ one, other }: { one: RunOut; other: RunOut }) {
  const first = useQuery(runLines(one.id, LINES_MAX));
  const second = useQuery(runLines(other.id, LINES_MAX));
  return (
    <Both one={first} other={second} rows={6}>
      {(left, right) => (
        <LogTable
          heads={[one.id, other.id]}
          one={left.items.map((line) => line.text)}
          other={right.items.map((line) => line.text)}
        />
      )}
    </Both>
  );
}

function LogTable({ heads, one, other }: { heads: [string, string]; one: string[]; other: string[] }) {
  const say = useSay();
  const [isOnlyOther, setOnlyOther] = useState(false);
  const all = alignedLines(one, other);
  const pairs = isOnlyOther ? all.filter((pair) => !pair.isSame) : all;
  if (all.length === 0) return <p className="empty">{say("pair.no_log")}</p>;
  return (
    <>
      <div className="filters">
        <Checkbox
          label={say("pair.differing")}
          checked={isOnlyOther}
          onChange={(event) => setOnlyOther(event.currentTarget.checked)}
        />
        <span className="soft small">{say("pair.tail", { count: LINES_MAX })}</span>
      </div>
      {pairs.length === 0 && <p className="soft">{say("pair.same")}</p>}
      <div className="log pairlog" role="region" tabIndex={0} aria-label={say("pair.tab_log")}>
        <table>
          <thead className="hidden">
            <tr>
              {heads.map((head) => (
                <th key={head}>{say("pair.log_of", { run: head })}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {pairs.map((pair, index) => (
              <tr key={index} className={pair.isSame ? undefined : "other"}>
                <Half line={pair.one} />
                <Half line={pair.other} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Half({ line }: { line: LogLine | null }) {
  const zone = useZone();
  if (line === null) return <td className="none" />;
  const tone = isGrave(line.level) ? "grave" : line.level === "WARNING" ? "warn" : "";
  return (
    <td className={tone} translate="no">
      {line.shard && <span className="at">#{line.shard} </span>}
      {line.at && <span className="at">{exactTime(line.at, zone).slice(11, 23)} </span>}
      {line.level.padEnd(8)}
      {line.text}
    </td>
  );
}

interface DataProps {
  title: string;
  one: RunOut;
  other: RunOut;
  of: (run: RunOut) => unknown;
}

function Data({ title, one, other, of }: DataProps) {
  const say = useSay();
  const changes = differences(of(one), of(other));
  return (
    <section className="part" aria-label={title}>
      <h2>{title}</h2>
      {changes.length === 0 && <p className="soft">{say("pair.same_value")}</p>}
      {changes.length > 0 && <ChangeTable changes={changes} before={one.id} after={other.id} />}
    </section>
  );
}

function OfVersions({ one, other }: { one: RunOut; other: RunOut }) {
  const say = useSay();
  if (one.job !== other.job || one.namespace !== other.namespace) {
    return <p className="soft">{say("pair.other_jobs")}</p>;
  }
  if (one.version === other.version) {
    return <p className="soft">{say("pair.same_version", { version: one.version })}</p>;
  }
  return <VersionDiff namespace={one.namespace} name={one.job} before={one.version} after={other.version} />;
}
