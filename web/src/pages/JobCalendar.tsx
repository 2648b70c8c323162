/// A year of a job: one cell a day, in the colour of how its runs ended. A cell leads to the picture of its day.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobDays } from "../api/queries.ts";
import type { DaysOut, JobDayOut, JobOut } from "../api/types.ts";
import { weeksOf } from "../format/day.ts";
import { jobPath } from "../format/paths.ts";
import { count } from "../format/time.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { RowLink } from "../parts/links.tsx";
import { useZone } from "../parts/settings.ts";
import type { Tone } from "../parts/state.ts";
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

/** The tone of a day: one failure tells more than a hundred successes. */
export function toneOfDay(counts: Record<string, number>): Tone {
  if (counts.FAILED) return "bad";
  if (counts.CANCELLED) return "stop";
  if (counts.SUCCEEDED) return "good";
  if (counts.RUNNING) return "busy";
  if (counts.PENDING) return "wait";
  return "idle";
}

function Year({ job, found }: { job: JobOut; found: DaysOut }) {
  const say = useSay();
  const language = useLanguage();
  const days = new Map(found.days.map((day) => [day.day, day]));
  const weeks = weeksOf(found.first, found.last);
  const totals = totalOf(found.days);
  const bad = found.days.filter((day) => day.counts.FAILED).reverse();
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
      <div className="year" role="region" aria-label={say("year.label")} tabIndex={0}>
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
                  <Cell key={day} job={job} day={day} found={days.get(day)} />
                ),
              )}
            </div>
          ))}
        </div>
      </div>
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

function Cell({ job, day, found }: { job: JobOut; day: string; found: JobDayOut | undefined }) {
  const say = useSay();
  if (!found) return <span className="cell" title={`${day} · ${say("year.nothing")}`} />;
  return (
    <RowLink
      to={`${jobPath(job)}?tab=day&day=${day}`}
      tabIndex={-1}
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
