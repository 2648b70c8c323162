/// A year of a job: one cell a day, in the colour of how its runs ended. A cell leads to the picture of its day;
/// arrows go from cell to cell, and a table has the same.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { jobDays } from "../api/queries.ts";
import type { DaysOut, JobDayOut, JobOut } from "../api/types.ts";
import { weeksOf } from "../format/day.ts";
import { toneOfDay } from "../format/dayLooks.ts";
import { dayByKey } from "../format/grid.ts";
import { jobPath } from "../format/paths.ts";
import { count } from "../format/time.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { RowLink } from "../parts/links.tsx";
import { useZone } from "../parts/settings.ts";
import { At } from "../parts/Times.tsx";
import { isWord, type Say, useLanguage, useSay } from "../words/say.ts";

const BAD_DAYS = 12;

export function Calendar({ job }: { job: JobOut }) {
  const zone = useZone();
  const query = useQuery(jobDays(job.namespace, job.name, zone));
  return (
    <Loaded query={query} rows={5}>
      {(found) => <Year job={job} found={found} />}
    </Loaded>
  );
}

function Year({ job, found }: { job: JobOut; found: DaysOut }) {
  const say = useSay();
  const language = useLanguage();
  const days = new Map(found.days.map((day) => [day.day, day]));
  const weeks = weeksOf(found.first, found.last);
  const totals = totalOf(found.days);
  const bad = found.days.filter((day) => day.counts.FAILED).reverse();
  const shown = found.days.map((day) => day.day);
  const [at, setAt] = useState("");
  const stop = shown.includes(at) ? at : shown.at(-1); // the one cell that Tab goes to; arrows go on from there
  if (found.days.length === 0) return <p className="empty">{say("year.none")}</p>;
  return (
    <>
      <p className="facts">
        {Object.entries(totals).map(([outcome, number]) => (
          <span key={outcome}>
            <i className={`dot bar-${toneOfDay({ [outcome]: number })}`} aria-hidden="true" />{" "}
            {wordOf(say, outcome)} <b>{count(number)}</b>
          </span>
        ))}
        {found.whole_since && (
          <span>
            {say("year.since")} <At iso={found.whole_since} />
          </span>
        )}
      </p>
      <div
        className="year"
        role="region"
        aria-label={say("year.label")}
        title={say("year.keys")}
        onKeyDown={(event) => {
          const { day: from } = (event.target as HTMLElement).dataset;
          const to = from && dayByKey(shown, from, event.key);
          if (!to) return;
          event.preventDefault();
          setAt(to);
          event.currentTarget.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus();
        }}
      >
        <div className="months" aria-hidden="true">
          {weeks.map((week, index) => (
            <span key={week.find((day) => day) ?? index}>{monthOf(week, language)}</span>
          ))}
        </div>
        <div className="weeks">
          {weeks.map((week, index) => (
            <div key={week.find((day) => day) ?? index} className="week">
              {week.map((day, place) =>
                day === null ? (
                  <span key={place} className="cell outside" />
                ) : (
                  <Cell key={day} job={job} day={day} found={days.get(day)} isStop={day === stop} />
                ),
              )}
            </div>
          ))}
        </div>
      </div>
      <DaysTable job={job} days={found.days} outcomes={Object.keys(totals)} />
      {bad.length > 0 && (
        <section className="part gap" aria-labelledby="bad-days">
          <h2 id="bad-days">{say("year.bad")}</h2>
          <ul className="lines">
            {bad.slice(0, BAD_DAYS).map((day) => (
              <li key={day.day}>
                <Link
                  to="/jobs/$namespace/$name"
                  params={{ namespace: job.namespace, name: job.name }}
                  search={{ tab: "day", day: day.day }}
                  className="name"
                >
                  {day.day}
                </Link>
                <span>{told(say, day.counts)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface TableProps {
  job: JobOut;
  days: JobDayOut[];
  outcomes: string[];
}

/** The same for readers aloud, the newest day first. It is drawn when somebody opens it. */
function DaysTable({ job, days, outcomes }: TableProps) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold gap" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say("year.table")}</summary>
      {isOpen && (
        <table className="list" aria-label={say("year.table")}>
          <thead>
            <tr>
              <th>{say("day.day")}</th>
              {outcomes.map((outcome) => (
                <th key={outcome} className="right">
                  {wordOf(say, outcome)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <td className="first">
                  <RowLink to={dayPath(job, day.day)} className="name">
                    {day.day}
                  </RowLink>
                </td>
                {outcomes.map((outcome) => (
                  <td key={outcome} className="right" data-label={wordOf(say, outcome)}>
                    {count(day.counts[outcome] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

const dayPath = (job: JobOut, day: string): string => `${jobPath(job)}?tab=day&day=${day}`;

interface CellProps {
  job: JobOut;
  day: string;
  found: JobDayOut | undefined;
  isStop: boolean;
}

function Cell({ job, day, found, isStop }: CellProps) {
  const say = useSay();
  if (!found) return <span className="cell" title={`${day} · ${say("year.nothing")}`} />;
  return (
    <RowLink
      to={dayPath(job, day)}
      data-day={day}
      tabIndex={isStop ? 0 : -1}
      className={`cell plain bar-${toneOfDay(found.counts)}`}
      title={`${day} · ${told(say, found.counts)}`}
      aria-label={`${day} · ${told(say, found.counts)}`}
    />
  );
}

function told(say: Say, counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([outcome, number]) => `${wordOf(say, outcome)} ${count(number)}`)
    .join(" · ");
}

function wordOf(say: Say, outcome: string): string {
  if (outcome === "SKIPPED") return say("decision.SKIPPED");
  const word = `state.${outcome}`;
  return isWord(word) ? say(word) : outcome.toLowerCase();
}

function totalOf(days: JobDayOut[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const day of days) {
    for (const [outcome, number] of Object.entries(day.counts)) {
      totals[outcome] = (totals[outcome] ?? 0) + number;
    }
  }
  return totals;
}

/** The month stands over the week in which it begins. */
function monthOf(week: (string | null)[], language: string): string {
  const first = week.find((day) => day?.endsWith("-01"));
  return first ? new Date(first).toLocaleDateString(language, { month: "short", timeZone: "UTC" }) : "";
}
