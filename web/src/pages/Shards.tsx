/// The shards of a run, one line each: where in its time each began and ended, and which was the slowest.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runShards } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { barOf, spanOf, tookOf } from "../format/gantt.ts";
import { runPath } from "../format/paths.ts";
import { toneOf } from "../format/states.ts";
import { isOver } from "../live/changes.ts";
import { NodeLink, RowLink, RunLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { State } from "../parts/State.tsx";
import { useNow } from "../parts/settings.ts";
import { Since, Took } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

function useShards(run: RunOut, everyMs: number) {
  return useInfiniteQuery({ ...runShards(run.id), refetchInterval: isOver(run.state) ? false : everyMs });
}

/** At first sight of a run: how far its shards are, and which takes longest. */
export function ShardsAtAGlance({ run, everyMs }: { run: RunOut; everyMs: number }) {
  const first = useShards(run, everyMs).data?.pages[0];
  return (
    <>
      <Share counts={first?.counts ?? {}} />
      {first?.slowest && <SlowestShard slowest={first.slowest} />}
    </>
  );
}

const ORDER = ["SUCCEEDED", "RUNNING", "PENDING", "CANCELLED", "FAILED"] as const;

/** One bar for all shards, by state; its figures stand below it. */
function Share({ counts }: { counts: Record<string, number> }) {
  const there = ORDER.filter((state) => (counts[state] ?? 0) > 0);
  if (there.length === 0) return null;
  return (
    <div className="share">
      <div className="bars" aria-hidden="true">
        {there.map((state) => (
          <i key={state} className={`bar-${toneOf(state)}`} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <p className="row small">
        {there.map((state) => (
          <span key={state} className="row tightrow">
            <State of={state} /> <b>{counts[state]}</b>
          </span>
        ))}
      </p>
    </div>
  );
}

function SlowestShard({ slowest }: { slowest: RunOut }) {
  const say = useSay();
  const now = useNow();
  return (
    <p className="facts">
      <span>
        {say("run.slowest_shard")}{" "}
        <b>
          <Link to="/runs/$run" params={{ run: slowest.id }}>
            {say("run.shard")} {slowest.shard ?? ""}
          </Link>
        </b>{" "}
        <Took seconds={tookOf(slowest, now)} />
      </span>
      <State of={slowest.shown} />
      {slowest.node && <NodeLink node={slowest.node} />}
    </p>
  );
}

export function Shards({ run, everyMs }: { run: RunOut; everyMs: number }) {
  const say = useSay();
  const query = useShards(run, everyMs);
  return (
    <Pages query={query} empty={<p className="empty">{say("run.no_shards")}</p>}>
      {(shards) => <Gantt run={run.id} shards={shards} slowest={query.data?.pages[0]?.slowest?.id} />}
    </Pages>
  );
}

function Gantt({ run, shards, slowest }: { run: string; shards: RunOut[]; slowest: string | undefined }) {
  const now = useNow();
  const span = spanOf(shards, now);
  return (
    <ul className="lines gantt">
      {shards.map((shard) => (
        <Shard
          key={shard.id}
          of={run}
          shard={shard}
          span={span}
          nowMs={now}
          isSlowest={shard.id === slowest}
        />
      ))}
    </ul>
  );
}

interface ShardProps {
  /** The run that it is a part of. */
  of: string;
  shard: RunOut;
  span: { fromMs: number; toMs: number };
  nowMs: number;
  isSlowest: boolean;
}

/** Its number leads to its lines in the log of the whole run, its id to the run that it is. */
function Shard({ of, shard, span, nowMs, isSlowest }: ShardProps) {
  const say = useSay();
  const bar = barOf(shard, span, nowMs);
  return (
    <li>
      <RowLink
        to={`${runPath(of)}?shard=${shard.shard ?? ""}`}
        className="nowrap"
        aria-label={say("run.shard_log", { shard: shard.shard ?? "" })}
      >
        {say("run.shard")} {shard.shard ?? ""}
      </RowLink>
      <span className="track" aria-hidden="true">
        {bar && (
          <i
            className={`bar-${toneOf(shard.shown)}`}
            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
          />
        )}
      </span>
      <State of={shard.shown} />
      <RunLink run={shard.id} />
      <span className="soft">{shard.node && <NodeLink node={shard.node} />}</span>
      <span>{isSlowest && <span className="tag tone-wait">{say("run.slowest")}</span>}</span>
      <span className="end soft">
        {shard.state === "RUNNING" && shard.started_at ? (
          <Since iso={shard.started_at} />
        ) : (
          <Took seconds={tookOf(shard, nowMs)} />
        )}
      </span>
    </li>
  );
}
