/// Runs, newest first. Rows change in place; new ones wait behind a pill while the pointer is on the list.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { serverNow } from "../api/call.ts";
import { type RunsWanted, runs } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { placedAs, readPlaced } from "../format/placed.ts";
import { lastNight, sinceOf } from "../format/range.ts";
import { type Change, isMissing } from "../live/changes.ts";
import { useChanges } from "../live/Follower.tsx";
import { BulkDialog, verbOf } from "../parts/BulkDialog.tsx";
import { ChosenRuns } from "../parts/ChosenRuns.tsx";
import { ChosenText } from "../parts/ChosenText.tsx";
import { Command } from "../parts/Command.tsx";
import { useHome, useNodeNames, usePlacedJobs } from "../parts/names.ts";
import { Pages } from "../parts/Pages.tsx";
import { RangeField } from "../parts/RangeField.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { useSelection } from "../parts/Selection.tsx";
import { useZone } from "../parts/settings.ts";
import { At } from "../parts/Times.tsx";
import { NewPill } from "../parts/useHeld.tsx";
import { useSay } from "../words/say.ts";
import { RunTable } from "./RunTable.tsx";

const STATES = [
  "PENDING",
  "HELD",
  "RETRYING",
  "RUNNING",
  "CANCELLING",
  "SUCCEEDED",
  "FAILED",
  "CANCELLED",
] as const;
const TOGETHER = [
  ["since", "until"],
  ["ended_since", "ended_until"],
  ["job", "namespace"],
] as const;
const EVERY_MS = 1000;
const MISSING_MAX = 1000; // more are not counted: a list may be looked at for days

export function RunsPage() {
  const say = useSay();
  const rights = useRights();
  const zone = useZone();
  const [opened] = useState(serverNow);
  const { in: chosen, ...look } = useSearch({ from: "/runs" });
  const { span, ...filters } = look;
  const since = look.since ?? sinceOf(span, opened);
  const wanted: RunsWanted = { ...filters, ...(since !== undefined && { since }) };
  const [night, setNight] = useState<RunsWanted | null>(null);
  const navigate = useNavigate({ from: "/runs" });
  const query = useInfiniteQuery({ ...runs(wanted), retry: false });
  const [cleared, setCleared] = useState(0);
  const [fresh, setFresh] = useState(0);
  const isOver = useRef(false);
  const { refetch } = query;
  const inSight = query.data?.pages.flatMap((page) => page.items) ?? [];
  const forget = useMissingRuns(
    { namespace: chosen, ...wanted },
    inSight.map((run) => run.id),
    (count) => {
      if (isOver.current) setFresh(count);
      else show();
    },
  );
  const show = () => {
    forget();
    setFresh(0);
    void refetch();
  };
  const set = (change: Partial<typeof look>) =>
    void navigate({
      search: (before) => {
        const next = { ...before, ...change };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
      },
      replace: true,
    });
  const selection = useSelection({ in: chosen, ...look });
  const home = useHome();
  const ofJob = (written: string) => {
    const { name, namespace } = readPlaced(written, home);
    set({ job: name, namespace: namespace === home ? "" : namespace });
  };
  const job = look.job ?? "";
  const hasFilters = Object.keys(look).length > 0;
  const filtered = filtersOf(look);
  const isFiltered = hasFilters || chosen !== undefined;
  return (
    <>
      <div className="title">
        <h1>{say("runs.title")}</h1>
        {rights.run && (
          <div className="acts">
            <Button
              variant="default"
              onClick={() =>
                setNight({ ...wanted, state: "FAILED", tests: "none", ...lastNight(serverNow(), zone) })
              }
            >
              {say("runs.retry_night")}
            </Button>
          </div>
        )}
      </div>
      <div className="filters">
        <ChosenText
          value={job === "" ? "" : placedAs({ name: job, namespace: look.namespace ?? home }, home)}
          set={ofJob}
          label={say("runs.job_hint")}
          useNames={usePlacedJobs}
          isMain
        />
        <NativeSelect
          aria-label={say("runs.state")}
          value={look.state ?? ""}
          onChange={(event) => set({ state: event.currentTarget.value })}
          data={[
            { value: "", label: say("runs.any_state") },
            ...STATES.map((state) => ({ value: state, label: say(`state.${state}`) })),
          ]}
        />
        <RangeField
          key={cleared}
          range={{ span: span ?? "", since: look.since ?? "", until: look.until ?? "" }}
          set={set}
        />
        <ChosenText
          value={look.node ?? ""}
          set={(node) => set({ node })}
          label={say("runs.node")}
          useNames={useNodeNames}
        />
        {hasFilters && (
          <span className="row small">
            {job === "" && <Raw>{look.namespace}</Raw>}
            <Ended since={look.ended_since} until={look.ended_until} />
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                setCleared(cleared + 1); // also the fields of times that were not written yet
                void navigate({ search: chosen === undefined ? {} : { in: chosen }, replace: true });
              }}
            >
              {say("jobs.clear", { count: filtered })}
            </Button>
          </span>
        )}
        <NewPill waiting={fresh} show={show} word="runs.new" />
      </div>
      <div
        onPointerEnter={() => {
          isOver.current = true;
        }}
        onPointerLeave={() => {
          isOver.current = false;
        }}
      >
        <Pages
          query={query}
          rows={12}
          empty={
            <div className="empty">
              <p>{say(isFiltered ? "runs.none_match" : "runs.none")}</p>
              {!isFiltered && <Command text="foliot job trigger greet" />}
            </div>
          }
        >
          {(all) => (
            <>
              <Bulk wanted={wanted} runs={all} isWhole={!query.hasNextPage} />
              <RunTable runs={all} selection={rights.run ? selection : undefined} />
            </>
          )}
        </Pages>
        <ChosenRuns runs={inSight} wanted={wanted} selection={selection} />
      </div>
      {night && <BulkDialog verb="retry" wanted={night} close={() => setNight(null)} />}
    </>
  );
}

/** What one field holds, or two that are written together, is one filter. */
function filtersOf(look: { [part in (typeof TOGETHER)[number][number]]?: unknown }): number {
  const pairs = TOGETHER.filter(([one, other]) => look[one] && look[other]);
  return Object.keys(look).length - pairs.length;
}

/** The range in which the runs ended: bars of charts count them so. */
function Ended({ since, until }: { since: string | undefined; until: string | undefined }) {
  const say = useSay();
  if (since === undefined && until === undefined) return null;
  return (
    <span>
      {say("runs.ended")} {since && <At iso={since} />} – {until && <At iso={until} />}
    </span>
  );
}

/** The action for all runs of the filter, when it says one state and the action is possible. */
function Bulk({ wanted, runs, isWhole }: { wanted: RunsWanted; runs: RunOut[]; isWhole: boolean }) {
  const say = useSay();
  const rights = useRights();
  const [hit, setHit] = useState<RunOut[] | null>(null); // what was in sight when the button was pressed
  const verb = verbOf(wanted.state);
  if (verb === null || !rights.run) return null;
  const inSight = isWhole ? { runs: hit ?? [] } : {};
  return (
    <p className="row">
      <Button size="compact-sm" variant="default" onClick={() => setHit(runs)}>
        {say(isWhole ? `bulk.${verb}` : `bulk.${verb}_all`, { count: runs.length })}
      </Button>
      {hit && <BulkDialog verb={verb} wanted={wanted} {...inSight} close={() => setHit(null)} />}
    </p>
  );
}

/** Tells how many runs the list lacks: the first at once, then at most once a second. Returns how to forget them. */
function useMissingRuns(wanted: RunsWanted, ids: string[], tell: (count: number) => void): () => void {
  const missing = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const toldMs = useRef(0);
  const latest = useRef({ wanted, shown: new Set<string>(), tell });
  latest.current = { wanted, shown: new Set(ids), tell };
  const listener = useCallback((change: Change) => {
    const { wanted, shown } = latest.current;
    if (!isMissing(change, wanted, shown)) return;
    if (missing.current.size < MISSING_MAX) missing.current.add(String(change.data.id));
    if (timer.current !== null) return;
    const waitMs = Math.max(0, toldMs.current + EVERY_MS - Date.now());
    timer.current = setTimeout(() => {
      timer.current = null;
      toldMs.current = Date.now();
      const { shown, tell } = latest.current;
      const still = [...missing.current].filter((id) => !shown.has(id));
      missing.current = new Set(still);
      if (still.length > 0) tell(still.length);
    }, waitMs);
  }, []);
  useChanges(listener);
  return () => missing.current.clear();
}
