/// All jobs: schedule in words, next instant, last result, the strip of latest runs, actions on the row.
import { Button, Checkbox, Menu, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { type JobsWanted, jobs } from "../api/queries.ts";
import { type Column, readColumns, writeColumns } from "../format/columns.ts";
import { PauseDialog, ResumeDialog } from "../parts/actions.tsx";
import { ChosenJobs, Matching } from "../parts/ChosenJobs.tsx";
import { ColumnMenu } from "../parts/ColumnMenu.tsx";
import { Command } from "../parts/Command.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { useFavourites } from "../parts/favourites.ts";
import { GroupFilter } from "../parts/GroupFilter.tsx";
import { JobBulkDialog, type JobVerb, verbsOf } from "../parts/JobBulk.tsx";
import { Pages } from "../parts/Pages.tsx";
import { useRights } from "../parts/rights.ts";
import { useSelection } from "../parts/Selection.tsx";
import { chooseColumns, useColumns, useNamespace } from "../parts/settings.ts";
import { TriggerDialog } from "../parts/TriggerDialog.tsx";
import { useSay } from "../words/say.ts";
import { JobTable, type OfEachRow, type Opened } from "./JobTable.tsx";

const FILTERS = ["q", "state", "failing", "late", "starred", "group"] as const;

export function JobsPage() {
  const say = useSay();
  const rights = useRights();
  const { columns: asked, ...wanted } = useSearch({ from: "/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const favourites = useFavourites();
  const isOff = wanted.starred === true && (favourites.jobs ?? []).length === 0; // a list of no names would be all jobs
  const [opened, setOpened] = useState<Opened | null>(null);
  const [many, setMany] = useState<JobVerb | null>(null);
  const kept = useColumns();
  const columns = useMemo(() => readColumns(asked ?? kept), [asked, kept]); // one that was sent goes first
  const set = (change: Partial<typeof wanted> & { columns?: string }) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });
  const filters = FILTERS.filter((name) => wanted[name]).length;
  const choose = (chosen: readonly Column[]) => {
    chooseColumns(writeColumns(chosen));
    set({ columns: writeColumns(chosen) });
  };
  const close = () => setOpened(null);
  return (
    <div className="jobs">
      <div className="title">
        <h1>{say("jobs.title")}</h1>
        <div className="acts">
          {(rights.run || rights.write) && !wanted.starred && (
            <Menu transitionProps={{ duration: 0 }} position="bottom-end" trigger="click-hover">
              <Menu.Target>
                <Button variant="default">{say("many.all")}</Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Matching wanted={wanted} />
                {verbsOf(rights).map((verb) => (
                  <Menu.Item key={verb} onClick={() => setMany(verb)}>
                    {say(`many.${verb}_all`)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          {rights.write && (
            <Button renderRoot={(props) => <Link to="/jobs/new" {...props} />}>{say("edit.new")}</Button>
          )}
        </div>
      </div>
      <div className="filters">
        <FilterText value={wanted.q ?? ""} set={(q) => set({ q })} />
        <GroupFilter value={wanted.group ?? ""} set={(group) => set({ group })} />
        <NativeSelect
          aria-label={say("jobs.state")}
          value={wanted.state ?? ""}
          onChange={(event) => set({ state: event.currentTarget.value })}
          data={[
            { value: "", label: say("jobs.any_state") },
            { value: "active", label: say("job.ACTIVE") },
            { value: "paused", label: say("job.PAUSED") },
            { value: "done", label: say("job.DONE") },
            { value: "retired", label: say("job.retired") },
          ]}
        />
        <NativeSelect
          aria-label={say("jobs.sort")}
          value={wanted.sort ?? ""}
          onChange={(event) => set({ sort: event.currentTarget.value })}
          data={[
            { value: "", label: say("jobs.sort_name") },
            { value: "next", label: say("jobs.sort_next") },
            { value: "fails", label: say("jobs.sort_fails") },
            { value: "p95", label: say("jobs.sort_p95") },
          ]}
        />
        <Checkbox
          label={say("jobs.failing")}
          checked={wanted.failing ?? false}
          onChange={(event) => set({ failing: event.currentTarget.checked })}
        />
        <Checkbox
          label={say("jobs.late")}
          checked={wanted.late ?? false}
          onChange={(event) => set({ late: event.currentTarget.checked })}
        />
        <Checkbox
          label={say("star.only")}
          checked={wanted.starred ?? false}
          onChange={(event) => set({ starred: event.currentTarget.checked })}
        />
        <ColumnMenu shown={columns} choose={choose} />
      </div>
      {isOff && favourites.jobs && <p className="empty">{say("star.none")}</p>}
      {!isOff && (
        <Found
          wanted={wanted}
          empty={<Nothing filters={filters} clear={() => void navigate({ search: {} })} />}
          columns={columns}
          favourites={favourites}
          open={setOpened}
        />
      )}
      {many && <JobBulkDialog verb={many} wanted={wanted} close={() => setMany(null)} />}
      {opened?.what === "trigger" && (
        <TriggerDialog name={opened.job.name} namespace={opened.job.namespace} close={close} />
      )}
      {opened?.what === "pause" && <PauseDialog job={opened.job} close={close} />}
      {opened?.what === "resume" && <ResumeDialog job={opened.job} close={close} />}
    </div>
  );
}

interface FoundProps extends OfEachRow {
  wanted: JobsWanted & { starred?: boolean | undefined };
  empty: ReactNode;
}

/** By itself: what stands above it is not drawn anew with each change on the stream. */
function Found({ wanted, empty, ...rest }: FoundProps) {
  const query = useInfiniteQuery(jobs(wanted, wanted.starred ? rest.favourites.jobs : undefined));
  const { sort: _, ...filter } = wanted; // another order is no other filter
  const selection = useSelection({ ...filter, in: useNamespace() });
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Pages query={query} rows={12} empty={empty}>
        {(found) => <JobTable jobs={found} selection={selection} {...rest} />}
      </Pages>
      <ChosenJobs jobs={all} isWhole={!query.hasNextPage} wanted={wanted} selection={selection} />
    </>
  );
}

function withoutEmpty<T extends object>(search: T): T {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== "" && value !== false),
  ) as T;
}

function Nothing({ filters, clear }: { filters: number; clear: () => void }) {
  const say = useSay();
  if (filters === 0) {
    return (
      <div className="empty">
        <p>{say("jobs.none")}</p>
        <Command text="foliot up" />
      </div>
    );
  }
  return (
    <div className="empty">
      <p>{say("jobs.none_match")}</p>
      <Button variant="default" onClick={clear}>
        {say("jobs.clear", { count: filters })}
      </Button>
    </div>
  );
}
