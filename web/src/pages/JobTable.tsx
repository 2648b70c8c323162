/// Jobs as a table: the columns that were chosen, and what can be done with each job on its row.
import { Link } from "@tanstack/react-router";
import { memo, type ReactElement } from "react";
import type { JobOut } from "../api/types.ts";
import type { Column } from "../format/columns.ts";
import { LATE_S } from "../format/late.ts";
import { groupPath } from "../format/paths.ts";
import { placedAs } from "../format/placed.ts";
import { percent } from "../format/time.ts";
import { COLUMN_WORDS } from "../parts/ColumnMenu.tsx";
import type { Favourites } from "../parts/favourites.ts";
import { IconButton } from "../parts/IconButton.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, RowLink, RunLink } from "../parts/links.tsx";
import { useHome } from "../parts/names.ts";
import { Raw } from "../parts/Raw.tsx";
import { type Rights, useRights } from "../parts/rights.ts";
import { Schedule } from "../parts/Schedule.tsx";
import { ChooseAll, ChooseBox, type Selection } from "../parts/Selection.tsx";
import { Star } from "../parts/Star.tsx";
import { State } from "../parts/State.tsx";
import { Strip } from "../parts/Strip.tsx";
import { useOfNow } from "../parts/settings.ts";
import { At, FromNow, Took } from "../parts/Times.tsx";
import { type Say, useSay } from "../words/say.ts";

export type Opened = { what: "trigger" | "pause" | "resume"; job: JobOut };

/** So many rows are in sight at most before somebody scrolls. */
const SEEN_FIRST = 30;

export interface OfEachRow {
  columns: readonly Column[];
  favourites: Favourites;
  open: (opened: Opened) => void;
}

export function nameOf({ namespace, name }: JobOut): string {
  return `${namespace}/${name}`;
}

interface TableProps extends OfEachRow {
  jobs: JobOut[];
  selection: Selection;
}

export function JobTable({ jobs, columns, favourites, open, selection }: TableProps) {
  const say = useSay();
  const rights = useRights(); // once for all rows
  const home = useHome();
  const mayAct = rights.run || rights.write;
  return (
    <ListTable
      label={say("jobs.list")}
      heads={[
        "jobs.name",
        ...columns.map((column) =>
          isFigure(column) ? { word: COLUMN_WORDS[column], isRight: true as const } : COLUMN_WORDS[column],
        ),
      ]}
      hasActions
      lead={mayAct && <ChooseAll of={selection} names={jobs.map(nameOf)} />}
    >
      {jobs.map((job, at) => (
        <JobLine
          key={nameOf(job)}
          job={job}
          label={placedAs(job, home)}
          isChosen={selection.chosen.has(nameOf(job))}
          toggle={mayAct ? selection.toggle : null}
          isFar={at >= SEEN_FIRST}
          columns={columns}
          rights={rights}
          favourites={favourites}
          open={open}
        />
      ))}
    </ListTable>
  );
}

function isFigure(column: Column): boolean {
  return column === "p95" || column === "success";
}

/** The cell of each column. */
const CELLS: Record<Column, (job: JobOut, say: Say, isFar: boolean) => ReactElement> = {
  group: (job, say) => (
    <td key="group" data-label={say("jobs.group")}>
      <RowLink to={groupPath(job.group)}>
        <Raw>{job.group}</Raw>
      </RowLink>
    </td>
  ),
  owner: (job, say) => (
    <td key="owner" data-label={job.owner === "" ? undefined : say("jobs.owner")}>
      {job.owner !== "" && <Raw>{job.owner}</Raw>}
    </td>
  ),
  schedule: (job) => (
    <td key="schedule" className="cut" title={[job.schedule ?? "", ...job.cron].join("\n")}>
      <Schedule job={job} />
    </td>
  ),
  next: (job) => (
    <td key="next" className="nowrap">
      <Next job={job} />
    </td>
  ),
  last: (job, say) => (
    <td key="last">
      {job.last_run ? (
        <span className="row">
          <State of={job.last_run.shown} />
          <RunLink run={job.last_run.id} />
        </span>
      ) : (
        <span className="soft">{say("jobs.never")}</span>
      )}
    </td>
  ),
  strip: (job, _, isFar) => (
    <td key="strip">
      <Strip strip={job.strip} isFar={isFar} />
    </td>
  ),
  p95: (job, say) => (
    <td key="p95" className="right" data-label={say("jobs.p95")}>
      <Took seconds={job.strip?.p95_s} />
    </td>
  ),
  success: (job, say) => (
    <td
      key="success"
      className="right"
      data-label={job.strip?.success_rate == null ? undefined : say("jobs.success")}
    >
      {job.strip?.success_rate != null && percent(job.strip.success_rate)}
    </td>
  ),
};

function Next({ job }: { job: JobOut }) {
  const at = job.next_due_at ?? job.next_at;
  if (!at || job.state === "PAUSED") return null;
  return (
    <>
      <At iso={at} />{" "}
      <span className="soft">
        <FromNow iso={at} />
      </span>
    </>
  );
}

interface LineProps extends OfEachRow {
  job: JobOut;
  /** Its name, with its namespace where that is not the one at home. */
  label: string;
  isFar: boolean;
  rights: Rights;
  isChosen: boolean;
  /** Null: nothing can be done with many jobs. */
  toggle: Selection["toggle"] | null;
}

/** Drawn anew when its job is another, not when the list is read again. */
const JobLine = memo(function JobLine({
  job,
  label,
  isFar,
  columns,
  rights,
  favourites,
  open,
  isChosen,
  toggle,
}: LineProps) {
  const say = useSay();
  const isPaused = job.state === "PAUSED";
  return (
    <tr data-chosen={isChosen || undefined}>
      <td className="first">
        <span className="row">
          {toggle && <ChooseBox name={nameOf(job)} label={label} isChosen={isChosen} toggle={toggle} />}
          <Star job={job} favourites={favourites} />
          <JobLink job={job} says={job.description} />
          {job.state !== "ACTIVE" && <State of={job.state} family="job" />}
          <Chips job={job} hasOwner={!columns.includes("owner")} />
        </span>
      </td>
      {columns.map((column) => CELLS[column](job, say, isFar))}
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

/** What is out of the ordinary about a job; its owner, where nothing else says it. */
export function Chips({ job, hasOwner }: { job: JobOut; hasOwner: boolean }) {
  const say = useSay();
  const isLate = useOfNow(
    (now) => job.state === "ACTIVE" && job.next_at !== null && Date.parse(job.next_at) < now - 1000 * LATE_S,
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
      {hasOwner && job.owner && (
        <span className="soft small">
          <Raw>{job.owner}</Raw>
        </span>
      )}
    </>
  );
}
