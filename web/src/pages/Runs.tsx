/// Runs, newest first. Rows change in place; new ones wait behind a pill while the pointer is on the list.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { type RunsWanted, runs } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { clockTime } from "../format/time.ts";
import { type Change, isMissing } from "../live/changes.ts";
import { useChanges } from "../live/Follower.tsx";
import { BULK_MAX, BulkDialog, verbOf } from "../parts/BulkDialog.tsx";
import { Command } from "../parts/Command.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { useNow, useZone } from "../parts/settings.ts";
import { useSay } from "../words/say.ts";
import { RunTable } from "./RunTable.tsx";

const STATES = ["PENDING", "HELD", "RETRYING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
const EVERY_MS = 1000;
const MISSING_MAX = 1000; // more are not counted: a list may be looked at for days

export function RunsPage() {
  const say = useSay();
  const { in: chosen, ...wanted } = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const query = useInfiniteQuery({ ...runs(wanted), retry: false });
  const [fresh, setFresh] = useState(0);
  const isOver = useRef(false);
  const { refetch } = query;
  const ids = query.data?.pages.flatMap((page) => page.items.map((run) => run.id));
  const forget = useMissingRuns({ namespace: chosen, ...wanted }, ids ?? [], (count) => {
    if (isOver.current) setFresh(count);
    else show();
  });
  const show = () => {
    forget();
    setFresh(0);
    void refetch();
  };
  const set = (change: Partial<typeof wanted>) =>
    void navigate({
      search: (before) => {
        const next = { ...before, ...change };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
      },
      replace: true,
    });
  const isFiltered = Object.keys(wanted).length > 0 || chosen !== undefined;
  return (
    <>
      <div className="title">
        <h1>{say("runs.title")}</h1>
      </div>
      <div className="filters">
        <FilterText value={wanted.job ?? ""} set={(job) => set({ job })} hint={say("runs.job_hint")} />
        <NativeSelect
          aria-label={say("runs.state")}
          value={wanted.state ?? ""}
          onChange={(event) => set({ state: event.currentTarget.value })}
          data={[
            { value: "", label: say("runs.any_state") },
            ...STATES.map((state) => ({ value: state, label: say(`state.${state}`) })),
          ]}
        />
        {(wanted.since || wanted.until || wanted.node || wanted.namespace) && (
          <FurtherFilters
            wanted={wanted}
            clear={() => set({ since: "", until: "", node: "", namespace: "" })}
          />
        )}
        <span role="status">
          {fresh > 0 && (
            <button type="button" className="pill" onClick={show}>
              {say("runs.new", { count: fresh })}
            </button>
          )}
        </span>
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
              <Bulk state={wanted.state} runs={all} />
              <RunTable runs={all} />
            </>
          )}
        </Pages>
      </div>
    </>
  );
}

/** Filters that another page set: the range of a chart, a node, a namespace. */
function FurtherFilters({ wanted, clear }: { wanted: RunsWanted; clear: () => void }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const time = (iso: string) => clockTime(iso, zone, now);
  const { since, until, node, namespace } = wanted;
  return (
    <span className="row small">
      {since && until && <b>{say("brush.range", { from: time(since), to: time(until) })}</b>}
      <Raw>{[namespace, node].filter(Boolean).join(" · ")}</Raw>
      <Button size="compact-xs" variant="default" onClick={clear}>
        {say("jobs.clear")}
      </Button>
    </span>
  );
}

/** The action for all runs in sight, when the filter says one state and the action is possible. */
function Bulk({ state, runs }: { state: string | undefined; runs: RunOut[] }) {
  const say = useSay();
  const rights = useRights();
  const [hit, setHit] = useState<RunOut[] | null>(null); // what was in sight when the button was pressed
  const verb = verbOf(state);
  if (verb === null || !rights.run) return null;
  const all = runs.slice(0, BULK_MAX);
  return (
    <p className="row">
      <Button size="compact-sm" variant="default" onClick={() => setHit(all)}>
        {say(`bulk.${verb}`, { count: all.length })}
      </Button>
      {hit && <BulkDialog verb={verb} runs={hit} close={() => setHit(null)} />}
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
