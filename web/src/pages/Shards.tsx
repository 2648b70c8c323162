/// The shards of a run, one line each: where in its time each began and ended, and which was the slowest.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runShards } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { barOf, slowestOf, spanOf, tookOf } from "../format/gantt.ts";
import { isOver } from "../live/changes.ts";
import { RunLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { useNow } from "../parts/settings.ts";
import { toneOf } from "../parts/state.ts";
import { Since, Took } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

function useShards(run: RunOut, everyMs: number) {
  return useInfiniteQuery({ ...runShards(run.id), refetchInterval: isOver(run.state) ? false : everyMs });
}

/** At first sight of a run: how far its shards are, and which takes longest. */
export function ShardsAtAGlance({ run, everyMs }: { run: RunOut; everyMs: number }) {
  const query = useShards(run, everyMs);
  const shards = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Share counts={query.data?.pages[0]?.counts ?? {}} />
      {!query.hasNextPage && <SlowestShard shards={shards} />}
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

/** Of a run with more than a page of shards it is not known. */
function SlowestShard({ shards }: { shards: RunOut[] }) {
  const say = useSay();
  const now = useNow();
  const id = slowestOf(shards, now);
  const slowest = shards.find((shard) => shard.id === id);
  if (!slowest) return null;
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
      <Raw>{slowest.node}</Raw>
    </p>
  );
}

export function Shards({ run, everyMs }: { run: RunOut; everyMs: number }) {
  const say = useSay();
  const query = useShards(run, everyMs);
  return (
    <Pages query={query} empty={<p className="empty">{say("run.no_shards")}</p>}>
      {(shards) => <Gantt shards={shards} />}
    </Pages>
  );
}

function Gantt({ shards }: { shards: RunOut[] }) {
  const now = useNow();
  const span = spanOf(shards, now);
  const slowest = slowestOf(shards, now);
  return (
    <ul className="lines gantt">
      {shards.map((shard) => (
        <Shard key={shard.id} shard={shard} span={span} nowMs={now} isSlowest={shard.id === slowest} />
      ))}
    </ul>
  );
}

interface ShardProps {
  shard: RunOut;
  span: { fromMs: number; toMs: number };
  nowMs: number;
  isSlowest: boolean;
}

function Shard({ shard, span, nowMs, isSlowest }: ShardProps) {
  const say = useSay();
  const bar = barOf(shard, span, nowMs);
  return (
    <li>
      <span className="soft nowrap">
        {say("run.shard")} {shard.shard ?? ""}
      </span>
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
      <span className="soft">
        <Raw>{shard.node}</Raw>
      </span>
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
