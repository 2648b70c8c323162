/// Runs, newest first. Rows change in place; new ones wait behind a pill while the pointer is on the list.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { runs } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import type { Change } from "../live/changes.ts";
import { useChanges } from "../live/Follower.tsx";
import { BULK_MAX, BulkDialog, verbOf } from "../parts/BulkDialog.tsx";
import { Command } from "../parts/Command.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { Pages } from "../parts/Pages.tsx";
import { useRights } from "../parts/rights.ts";
import { useSay } from "../words/say.ts";
import { RunTable } from "./RunTable.tsx";

const STATES = ["PENDING", "HELD", "RETRYING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
const EVERY_MS = 1000;

export function RunsPage() {
  const say = useSay();
  const wanted = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const query = useInfiniteQuery({ ...runs(wanted), retry: false });
  const [fresh, setFresh] = useState(0);
  const isOver = useRef(false);
  const { refetch } = query;
  const show = useCallback(() => {
    setFresh(0);
    void refetch();
  }, [refetch]);
  useNewRuns(wanted.job ?? "", (count) => {
    if (isOver.current) setFresh((before) => before + count);
    else show();
  });
  const set = (change: Partial<typeof wanted>) =>
    void navigate({
      search: (before) => {
        const next = { ...before, ...change };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
      },
      replace: true,
    });
  const isFiltered = Boolean(wanted.job || wanted.state);
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

/** Tells how many runs were created, at most once a second. */
function useNewRuns(job: string, tell: (count: number) => void): void {
  const waiting = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(tell);
  latest.current = tell;
  const listener = useCallback(
    (change: Change) => {
      const isNew = change.kind === "run.created" || change.kind === "run.started";
      if (!isNew || (job !== "" && change.data.job !== job)) return;
      waiting.current += change.kind === "run.created" ? 1 : 0;
      if (timer.current !== null) return;
      timer.current = setTimeout(() => {
        timer.current = null;
        latest.current(waiting.current);
        waiting.current = 0;
      }, EVERY_MS);
    },
    [job],
  );
  useChanges(listener);
}
