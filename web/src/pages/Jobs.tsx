/// All jobs: schedule in words, next instant, last result, the strip of latest runs, actions on the row.
import { Button, Checkbox, Menu, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { memo, useState } from "react";
import { jobs } from "../api/queries.ts";
import type { JobOut } from "../api/types.ts";
import { PauseDialog, ResumeDialog } from "../parts/actions.tsx";
import { Command } from "../parts/Command.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { type Favourites, useFavourites } from "../parts/favourites.ts";
import { IconButton } from "../parts/IconButton.tsx";
import { JOB_VERBS, JobBulkDialog, type JobVerb } from "../parts/JobBulk.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, RunLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { type Rights, useRights } from "../parts/rights.ts";
import { Star } from "../parts/Star.tsx";
import { State } from "../parts/State.tsx";
import { Strip } from "../parts/Strip.tsx";
import { useOfNow } from "../parts/settings.ts";
import { At, FromNow, Took } from "../parts/Times.tsx";
import { TriggerDialog } from "../parts/TriggerDialog.tsx";
import { useSay } from "../words/say.ts";

type Opened = { what: "trigger" | "pause" | "resume"; job: JobOut } | null;

export function JobsPage() {
  const say = useSay();
  const rights = useRights();
  const wanted = useSearch({ from: "/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const favourites = useFavourites();
  const names = wanted.starred ? favourites.jobs : undefined;
  const isOff = wanted.starred === true && (names ?? []).length === 0; // a list of no names would be all jobs
  const query = useInfiniteQuery({ ...jobs(wanted, names), enabled: !isOff });
  const [opened, setOpened] = useState<Opened>(null);
  const [many, setMany] = useState<JobVerb | null>(null);
  const set = (change: Partial<typeof wanted>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });
  const isFiltered = Boolean(
    wanted.q || wanted.state || wanted.failing || wanted.late || wanted.starred || wanted.group,
  );
  const close = () => setOpened(null);
  return (
    <>
      <div className="title">
        <h1>{say("jobs.title")}</h1>
        <div className="acts">
          {(rights.run || rights.write) && !wanted.starred && (
            <Menu transitionProps={{ duration: 0 }} position="bottom-end" trigger="click-hover">
              <Menu.Target>
                <Button variant="default">{say("many.all")}</Button>
              </Menu.Target>
              <Menu.Dropdown>
                {JOB_VERBS.filter((verb) => (verb === "trigger" ? rights.run : rights.write)).map((verb) => (
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
        {wanted.group && (
          <span className="row small">
            {say("job.group", { group: "" })}
            <b>
              <Raw>{wanted.group}</Raw>
            </b>
            <Button size="compact-xs" variant="default" onClick={() => set({ group: "" })}>
              {say("jobs.any_group")}
            </Button>
          </span>
        )}
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
      </div>
      {isOff && favourites.jobs && <p className="empty">{say("star.none")}</p>}
      {!isOff && (
        <Pages
          query={query}
          rows={12}
          empty={<Nothing isFiltered={isFiltered} clear={() => void navigate({ search: {} })} />}
        >
          {(all) => <JobTable jobs={all} favourites={favourites} open={setOpened} />}
        </Pages>
      )}
      {many && <JobBulkDialog verb={many} wanted={wanted} close={() => setMany(null)} />}
      {opened?.what === "trigger" && (
        <TriggerDialog name={opened.job.name} namespace={opened.job.namespace} close={close} />
      )}
      {opened?.what === "pause" && <PauseDialog job={opened.job} close={close} />}
      {opened?.what === "resume" && <ResumeDialog job={opened.job} close={close} />}
    </>
  );
}

function withoutEmpty<T extends object>(search: T): T {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== "" && value !== false),
  ) as T;
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const say = useSay();
  if (!isFiltered) {
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
        {say("jobs.clear")}
      </Button>
    </div>
  );
}

interface TableProps {
  jobs: JobOut[];
  favourites: Favourites;
  open: (opened: Opened) => void;
}

function JobTable({ jobs, favourites, open }: TableProps) {
  const say = useSay();
  const rights = useRights(); // once for all rows
  return (
    <ListTable
      label={say("jobs.list")}
      heads={[
        "jobs.name",
        "jobs.schedule",
        "jobs.next",
        "jobs.last",
        "jobs.strip",
        { word: "jobs.p95", isRight: true },
      ]}
      hasActions
    >
      {jobs.map((job) => (
        <JobLine
          key={`${job.namespace}/${job.name}`}
          job={job}
          rights={rights}
          favourites={favourites}
          open={open}
        />
      ))}
    </ListTable>
  );
}

interface LineProps {
  job: JobOut;
  rights: Rights;
  favourites: Favourites;
  open: (opened: Opened) => void;
}

/** Drawn anew when its job is another, not when the list is read again. */
const JobLine = memo(function JobLine({ job, rights, favourites, open }: LineProps) {
  const say = useSay();
  const isPaused = job.state === "PAUSED";
  const at = job.next_due_at ?? job.next_at;
  return (
    <tr>
      <td className="first">
        <span className="row" title={job.description}>
          <Star job={job} favourites={favourites} />
          <JobLink job={job} />
          {job.state !== "ACTIVE" && <State of={job.state} family="job" />}
          <Chips job={job} />
        </span>
      </td>
      <td className="cut" title={job.schedule ?? ""}>
        {job.schedule ?? <span className="soft">{say("jobs.no_schedule")}</span>}
      </td>
      <td className="nowrap">
        {at && !isPaused && (
          <>
            <At iso={at} />{" "}
            <span className="soft">
              <FromNow iso={at} />
            </span>
          </>
        )}
      </td>
      <td>
        {job.last_run ? (
          <span className="row">
            <State of={job.last_run.shown} />
            <RunLink run={job.last_run.id} />
          </span>
        ) : (
          <span className="soft">{say("jobs.never")}</span>
        )}
      </td>
      <td>
        <Strip strip={job.strip} />
      </td>
      <td className="right" data-label={say("jobs.p95")}>
        <Took seconds={job.strip?.p95_s} />
      </td>
      <td className="tight icons">
        {rights.run && (
          <IconButton
            icon="play"
            data-key="t"
            label={`${say("do.trigger")} ${job.name}`}
            onClick={() => open({ what: "trigger", job })}
          />
        )}
        {rights.write && job.schedule !== null && (
          <IconButton
            icon={isPaused ? "play" : "pause"}
            data-key="p"
            label={`${say(isPaused ? "do.resume" : "do.pause")} ${job.name}`}
            onClick={() => open({ what: isPaused ? "resume" : "pause", job })}
          />
        )}
      </td>
    </tr>
  );
});

export function Chips({ job }: { job: JobOut }) {
  const say = useSay();
  const isLate = useOfNow(
    (now) => job.state === "ACTIVE" && job.next_at !== null && Date.parse(job.next_at) < now - 60_000,
  );
  return (
    <>
      {isLate && (
        <Link
          to="/jobs/$namespace/$name"
          params={{ namespace: job.namespace, name: job.name }}
          search={{ tab: "day" }}
          className="tag tone-wait"
        >
          {say("job.late")}
        </Link>
      )}
      {job.retired_at && <span className="tag tone-idle">{say("job.retired")}</span>}
      {job.trouble && (
        <span className="tag tone-bad" title={job.trouble}>
          {say("job.trouble")}
        </span>
      )}
      {job.owner && (
        <span className="soft small">
          <Raw>{job.owner}</Raw>
        </span>
      )}
    </>
  );
}
