/// One run: where it stands and why, its live log, its attempts, shards, parameters and result.
import { Button, Menu, Tabs } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { listedRun, run as runQuery, runShards, runTimeline, runWhy } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { standsForShards } from "../format/shards.ts";
import type { Act } from "../format/snippets.ts";
import { isOver } from "../live/changes.ts";
import { CancelDialog, RetryDialog, RetryFailedShards } from "../parts/actions.tsx";
import { CompareButton, PickedBar } from "../parts/CompareButton.tsx";
import { CopyItems } from "../parts/CopyItems.tsx";
import { Json } from "../parts/Json.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Log } from "../parts/Log.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Progress } from "../parts/Progress.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { useZone } from "../parts/settings.ts";
import { At, Since, Took } from "../parts/Times.tsx";
import { WhyCard } from "../parts/WhyCard.tsx";
import { isWord, useSay } from "../words/say.ts";
import { Attempts } from "./Attempts.tsx";
import { Shards, ShardsAtAGlance } from "./Shards.tsx";

const RUNNING_EVERY_MS = 2000;
const WHY_EVERY_MS = 5000;

export function RunPage() {
  const { run: id } = useParams({ from: "/runs/$run" });
  const client = useQueryClient();
  const query = useQuery({
    ...runQuery(id),
    placeholderData: () => listedRun(client, id),
    // Progress is told with the worker's beats and is no change on the stream.
    refetchInterval: ({ state }) => (state.data && isOver(state.data.state) ? false : RUNNING_EVERY_MS),
  });
  return (
    <Loaded query={query} rows={10}>
      {(found) => <Content run={found} />}
    </Loaded>
  );
}

function Content({ run }: { run: RunOut }) {
  const say = useSay();
  const rights = useRights();
  const { tab = "log", line = "", level = "", grep = "", shard, attempt } = useSearch({ from: "/runs/$run" });
  const navigate = useNavigate({ from: "/runs/$run" });
  const [opened, setOpened] = useState<"" | "cancel" | "force" | "retry">("");
  const [isForLine] = useState(line !== ""); // who came for a line of the log is shown it with as few requests as else
  const isDone = isOver(run.state);
  const isSharded = useIsSharded(run);
  const hasFailedShards = isDone && isSharded && run.state !== "SUCCEEDED";
  const close = () => setOpened("");
  return (
    <>
      <div className="title">
        <h1>
          <JobLink job={{ name: run.job, namespace: run.namespace }} /> <Raw mono>{run.id}</Raw>
        </h1>
        <State of={run.shown} />
        {run.kind && isWord(`kind.${run.kind}`) && (
          <span className="tag tone-bad">{say(`kind.${run.kind}`)}</span>
        )}
        <div className="acts">
          <CompareButton run={run.id} />
          {rights.run && !isDone && (
            <Button variant="default" onClick={() => setOpened("cancel")}>
              {say("do.cancel")}
            </Button>
          )}
          {rights.run && hasFailedShards && <RetryFailedShards run={run} />}
          {rights.run && isDone && <Button onClick={() => setOpened("retry")}>{say("do.retry")}</Button>}
          <Menu transitionProps={{ duration: 0 }} position="bottom-end">
            <Menu.Target>
              <Button variant="default">{say("do.more")}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              {rights.run && !isDone && (
                <Menu.Item onClick={() => setOpened("force")}>{say("do.force")}</Menu.Item>
              )}
              <CopyItems acts={commandsOf(run, hasFailedShards)} />
            </Menu.Dropdown>
          </Menu>
        </div>
      </div>
      <PickedBar />
      <Facts run={run} />
      {isSharded && !isForLine && <ShardsAtAGlance run={run} everyMs={RUNNING_EVERY_MS} />}
      <Why run={run} />
      <Stopping run={run} />
      {run.progress && (
        <p>
          <Progress of={run.progress} />
        </p>
      )}
      {run.error && (
        <div className="problem">
          <p>
            <strong>{say("run.error")}</strong> {run.error_type && <Raw mono>{run.error_type}</Raw>}
          </p>
          <pre className="box" translate="no" role="region" tabIndex={0} aria-label={say("run.error")}>
            {run.error}
          </pre>
        </div>
      )}
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "log" || !next ? {} : { tab: next }, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={say("run.tabs")} mb="md">
          <Tabs.Tab value="log" data-key={tab === "log" ? undefined : "l"}>
            {say("run.tab_log")}
          </Tabs.Tab>
          <Tabs.Tab value="data">{say("run.tab_data")}</Tabs.Tab>
          {isSharded && <Tabs.Tab value="shards">{say("run.tab_shards")}</Tabs.Tab>}
          <Tabs.Tab value="attempts">{say("run.tab_attempts")}</Tabs.Tab>
          <Tabs.Tab value="timeline">{say("run.tab_timeline")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="log">
          <Log
            run={run}
            hasShards={isSharded}
            look={{ line, level, grep, shard: String(shard ?? ""), attempt: String(attempt ?? "") }}
            set={(change) =>
              void navigate({ search: (now) => withoutEmpty({ ...now, ...change }), replace: true })
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <section className="part">
            <h2>{say("run.params")}</h2>
            {run.params === null ? (
              <p className="soft">{say("run.none")}</p>
            ) : (
              <Json value={run.params} label={say("run.params")} />
            )}
          </section>
          <section className="part">
            <h2>{say("run.result")}</h2>
            {run.result === null ? (
              <p className="soft">{say(isDone ? "run.none" : "run.no_result")}</p>
            ) : (
              <Json value={run.result} label={say("run.result")} />
            )}
          </section>
        </Tabs.Panel>
        <Tabs.Panel value="shards">
          <Shards run={run} everyMs={RUNNING_EVERY_MS} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          <Attempts run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="timeline">
          <Timeline run={run} />
        </Tabs.Panel>
      </Tabs>
      {(opened === "cancel" || opened === "force") && (
        <CancelDialog run={run} force={opened === "force"} close={close} />
      )}
      {opened === "retry" && <RetryDialog run={run} close={close} />}
    </>
  );
}

/** What is copied from the menu. */
function commandsOf({ id }: RunOut, hasFailedShards: boolean): Act[] {
  const looks: Act[] = ["run show", "run logs", "run why"].map((verb) => ({ verb, of: id }));
  if (!hasFailedShards) return looks;
  return [...looks, { verb: "run retry", of: id, options: { "failed-shards": true } }];
}

function withoutEmpty(look: Record<string, string | number | undefined>) {
  return Object.fromEntries(Object.entries(look).filter(([, value]) => value !== "" && value !== undefined));
}

/** Of a run that was cancelled only the list of its shards tells. */
function useIsSharded(run: RunOut): boolean {
  const told = standsForShards(run);
  const { data } = useInfiniteQuery({ ...runShards(run.id), enabled: told === "maybe" });
  const hasSome = (data?.pages[0]?.items.length ?? 0) > 0;
  return told === "yes" || (told === "maybe" && hasSome);
}

function Facts({ run }: { run: RunOut }) {
  const say = useSay();
  return (
    <div className="facts">
      <span>
        {say("run.due")}{" "}
        <b>
          <At iso={run.due_at} />
        </b>
      </span>
      {run.started_at && (
        <span>
          {say("run.started")}{" "}
          <b>
            <At iso={run.started_at} />
          </b>
        </span>
      )}
      {run.duration_s !== null && (
        <span>
          {say("run.took")}{" "}
          <b>
            <Took seconds={run.duration_s} />
          </b>
        </span>
      )}
      {run.state === "RUNNING" && run.started_at && (
        <span>
          {say("run.runs_for")}{" "}
          <b>
            <Since iso={run.attempt_started_at ?? run.started_at} />
          </b>
        </span>
      )}
      {run.node && (
        <span>
          {say("run.on")}{" "}
          <b>
            <NodeLink node={run.node} />
          </b>
        </span>
      )}
      {run.attempt > 0 && <span>{say("run.attempt", { attempt: run.attempt })}</span>}
      <span>{say("run.version", { version: run.version })}</span>
      <span>
        {say(`origin.${run.origin}`)} {run.triggered_by && <Raw>{run.triggered_by}</Raw>}
      </span>
      {run.reason && <Raw>{run.reason}</Raw>}
      {run.retry_of && (
        <span>
          {say("run.retry_of")} <RunLink run={run.retry_of} />
        </span>
      )}
      {run.parent && (
        <span>
          {say("run.part_of")} <RunLink run={run.parent} />
        </span>
      )}
      {run.fence && <span>{say("run.fence", { fence: run.fence })}</span>}
    </div>
  );
}

/** What keeps a run changes without a change of the run: it is asked again while somebody looks. */
function Why({ run }: { run: RunOut }) {
  const zone = useZone();
  const { data } = useQuery({
    ...runWhy(run.id, zone, run.shown),
    refetchInterval: isOver(run.state) ? false : WHY_EVERY_MS,
  });
  return data ? <WhyCard why={data} /> : null;
}

/** How far a cancel came: asked, by whom and why; then stopped. */
function Stopping({ run }: { run: RunOut }) {
  const say = useSay();
  if (run.cancel_asked_at === null) return null;
  const isDone = isOver(run.state);
  return (
    <ol className="life" aria-label={say("cancel.stages")}>
      <li>
        <span>
          {say("cancel.asked")} <Raw>{[run.cancelled_by, run.cancel_reason].filter(Boolean).join(" · ")}</Raw>
        </span>
        <span className="soft small">
          <At iso={run.cancel_asked_at} />
        </span>
      </li>
      <li aria-current={isDone ? undefined : "step"}>
        <span>{say(isDone ? "cancel.told" : "cancel.waits")}</span>
        <span className="soft small">{!isDone && <Since iso={run.cancel_asked_at} />}</span>
      </li>
      {run.ended_at && (
        <li aria-current="step">
          <State of={run.state} />
          <span className="soft small">
            <At iso={run.ended_at} />
          </span>
        </li>
      )}
    </ol>
  );
}

function Timeline({ run }: { run: RunOut }) {
  const say = useSay();
  const query = useQuery(runTimeline(run.id));
  return (
    <Loaded query={query}>
      {(found) => (
        <ul className="lines">
          {found.items.map((entry, index) => (
            <li key={index}>
              <At iso={entry.at} />
              <span>{timelineWord(say, entry.what)}</span>
              {entry.state && <State of={entry.state} />}
              {entry.attempt !== null && (
                <span className="soft">{say("run.attempt", { attempt: entry.attempt })}</span>
              )}
              {entry.node && (
                <span className="soft">
                  <NodeLink node={entry.node} />
                </span>
              )}
              {entry.detail && <p translate="no">{entry.detail}</p>}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function timelineWord(say: ReturnType<typeof useSay>, what: string): string {
  const word = `line.${what}`;
  if (isWord(word)) return say(word);
  const cause = `cause.${what.replace(/^attempt /, "")}`;
  return isWord(cause) ? say("line.attempt", { cause: say(cause) }) : what;
}
