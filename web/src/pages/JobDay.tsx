/// The day of a job in one picture: every instant as created, skipped, missed, paused or planned, and what clocks and
/// servers did meanwhile; a press on each says why. Below it the same as a list.
import { Button } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { dayOfJob, type Noted } from "../api/journal.ts";
import { jobFires, jobWhy } from "../api/queries.ts";
import type { EventOut, FireOut, JobOut } from "../api/types.ts";
import { boundsOf, type DayBounds, dayAfter, dayOf, instantOf, isDay, shareOf } from "../format/day.ts";
import {
  EVENT_KINDS,
  EVENT_LOOKS,
  FIRE_KINDS,
  FIRE_LOOKS,
  type FireKind,
  kindOfEvent,
  kindOfFire,
} from "../format/dayLooks.ts";
import { countOf } from "../format/fires.ts";
import { clockTime, count, duration } from "../format/time.ts";
import { DayField } from "../parts/DayField.tsx";
import { EventLine } from "../parts/EventLine.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { RunLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { Step } from "../parts/Step.tsx";
import { useNow, useZone } from "../parts/settings.ts";
import { At, FromNow } from "../parts/Times.tsx";
import { WhyCard } from "../parts/WhyCard.tsx";
import { isWord, type Say, useSay, useUnits } from "../words/say.ts";

const WIDTH = 1440;
const LANE = 34;
const SHOWN_AT_FIRST = 40;
const PLANNED_SHOWN = 10;

export function Day({ job }: { job: JobOut }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const { day: asked } = useSearch({ from: "/jobs/$namespace/$name" });
  const navigate = useNavigate({ from: "/jobs/$namespace/$name" });
  const day = isDay(asked) ? asked : dayOf(now, zone);
  const bounds = boundsOf(day, zone);
  const [from, to] = [new Date(bounds.fromMs).toISOString(), new Date(bounds.toMs).toISOString()];
  const fires = useQuery(jobFires(job.namespace, job.name, from, to));
  const noted = useQuery(dayOfJob(job.namespace, job.name, from, to));
  const go = (next: string) =>
    void navigate({
      search: { tab: "day", day: next === dayOf(now, zone) ? undefined : next },
      replace: true,
    });
  return (
    <>
      <div className="filters">
        <div className="dates">
          <Step label={say("day.before")} icon="left" act={() => go(dayAfter(day, -1))} />
          <DayField label={say("day.day")} value={day} go={go} />
          <Step label={say("day.after")} icon="right" act={() => go(dayAfter(day, 1))} />
          {day !== dayOf(now, zone) && (
            <Button variant="default" size="compact-sm" onClick={() => go(dayOf(now, zone))}>
              {say("day.today")}
            </Button>
          )}
        </div>
      </div>
      <Loaded query={fires} rows={6}>
        {(found) => (
          <DayContent
            key={day}
            job={job}
            fires={[...found.past, ...found.future]}
            isCut={found.next_cursor !== null}
            noted={noted}
            bounds={bounds}
            day={day}
          />
        )}
      </Loaded>
    </>
  );
}

/** An instant, or the id of an event. */
type Chosen = string | number | null;

interface DayProps {
  job: JobOut;
  fires: FireOut[];
  isCut: boolean;
  noted: UseQueryResult<Noted>;
  bounds: DayBounds;
  day: string;
}

function DayContent({ job, fires, isCut, noted, bounds, day }: DayProps) {
  const say = useSay();
  const [chosen, setChosen] = useState<Chosen>(null);
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const past = fires.filter((fire) => fire.decision !== "PLANNED");
  const planned = fires.filter((fire) => fire.decision === "PLANNED");
  const events = noted.data?.items ?? [];
  return (
    <>
      <Picture fires={fires} events={events} bounds={bounds} day={day} chosen={chosen} choose={setChosen} />
      {typeof chosen === "string" && <Why job={job} at={chosen} />}
      {typeof chosen === "number" && (
        <ul className="lines" aria-label={say("day.event")}>
          {events
            .filter((event) => event.id === chosen)
            .map((event) => (
              <EventLine key={event.id} event={event} />
            ))}
        </ul>
      )}
      {isCut && <p className="soft small">{say("day.cut")}</p>}
      <div className="columns gap">
        <section className="part" aria-labelledby="past">
          <h2 id="past">{say("job.past")}</h2>
          {past.length === 0 && <p className="soft">{say("day.none")}</p>}
          <ul className="lines">
            {past.slice(0, shown).map((fire) => (
              <Past key={`${fire.due_at} ${fire.decision}`} job={job} fire={fire} />
            ))}
          </ul>
          {past.length > shown && (
            <Button variant="default" mt="sm" onClick={() => setShown(shown + 200)}>
              {say("do.show_more")}
            </Button>
          )}
        </section>
        <div>
          <section className="part" aria-labelledby="meanwhile">
            <h2 id="meanwhile">{say("day.meanwhile")}</h2>
            <Loaded query={noted}>{(found) => <Meanwhile noted={found} />}</Loaded>
          </section>
          <section className="part" aria-labelledby="future">
            <h2 id="future">{say("job.future")}</h2>
            {planned.length === 0 && <p className="soft">{say("job.no_future")}</p>}
            <ul className="lines">
              {planned.slice(0, PLANNED_SHOWN).map((fire) => (
                <li key={fire.due_at}>
                  <At iso={fire.due_at} />
                  <span className="end soft">
                    <FromNow iso={fire.due_at} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      </div>
    </>
  );
}

function Meanwhile({ noted }: { noted: Noted }) {
  const say = useSay();
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  return (
    <>
      {noted.items.length === 0 && <p className="soft">{say("day.no_events")}</p>}
      <ul className="lines">
        {noted.items.slice(0, shown).map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </ul>
      {noted.items.length > shown && (
        <Button variant="default" mt="sm" onClick={() => setShown(shown + 200)}>
          {say("do.show_more")}
        </Button>
      )}
      {noted.isCut && <p className="soft small">{say("day.events_cut")}</p>}
    </>
  );
}

interface PictureProps {
  fires: FireOut[];
  events: EventOut[];
  bounds: DayBounds;
  day: string;
  chosen: Chosen;
  choose: (one: string | number) => void;
}

function Picture({ fires, events, bounds, day, chosen, choose }: PictureProps) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const place = (iso: string) => shareOf(Date.parse(iso), bounds) * WIDTH;
  const nowAt = shareOf(now, bounds) * WIDTH;
  const isToday = now >= bounds.fromMs && now < bounds.toMs;
  const label = say("day.label", {
    created: countOf(fires, "CREATED"),
    skipped: countOf(fires, "SKIPPED"),
    planned: countOf(fires, "PLANNED"),
  });
  return (
    <div className="day">
      <svg viewBox={`0 0 ${WIDTH} ${LANE + 14}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <Textures />
        <rect x={0} y={12} width={WIDTH} height={LANE} className="ground" />
        {fires
          .filter((fire) => fire.from_at && fire.to_at && fire.from_at !== fire.to_at)
          .map((fire) => {
            const begin = place(fire.from_at ?? "");
            const width = Math.max(3, place(fire.to_at ?? "") - begin);
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same by keyboard
              <rect
                key={`${fire.from_at} range`}
                x={begin}
                y={12 + LANE * 0.5}
                width={width}
                height={LANE * 0.5}
                {...filled(kindOfFire(fire), "range")}
                onClick={() => choose(fire.due_at)}
              />
            );
          })}
        {fires.map((fire) => {
          const kind = kindOfFire(fire);
          const high = FIRE_LOOKS[kind].isLow ? LANE * 0.5 : LANE;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same by keyboard
            <rect
              key={`${fire.due_at} ${fire.decision}`}
              data-kind={kind}
              x={place(fire.due_at) - 1.5}
              y={12 + LANE - high}
              width={fire.due_at === chosen ? 5 : 3}
              height={high}
              {...filled(kind, "instant")}
              onClick={() => choose(fire.due_at)}
            >
              <title>{`${clockTime(fire.due_at, zone, now)} · ${wordOf(say, kind)}`}</title>
            </rect>
          );
        })}
        {events.map((event) => {
          const kind = kindOfEvent(event);
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same by keyboard
            <path
              key={event.id}
              data-kind={kind}
              transform={`translate(${place(event.at)} 1)`}
              d={EVENT_LOOKS[kind].path}
              className={`instant fill-${EVENT_LOOKS[kind].tone}`}
              onClick={() => choose(event.id)}
            >
              <title>{`${clockTime(event.at, zone, now)} · ${say(`day.${kind}`)}`}</title>
            </path>
          );
        })}
        {isToday && <rect x={nowAt - 1} y={8} width={2} height={LANE + 6} className="now" />}
      </svg>
      <div className="scale" aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour} style={{ left: `${shareOf(instantOf(day, hour, zone), bounds) * 100}%` }}>
            {String(hour).padStart(2, "0")}
          </span>
        ))}
      </div>
      <Legend fires={fires} events={events} />
    </div>
  );
}

/** What is in the picture: each kind as it looks there, and how many they are. */
function Legend({ fires, events }: { fires: FireOut[]; events: EventOut[] }) {
  const say = useSay();
  const times = new Map<FireKind, number>();
  for (const fire of fires)
    times.set(kindOfFire(fire), (times.get(kindOfFire(fire)) ?? 0) + (fire.count ?? 1));
  const told = new Set(events.map(kindOfEvent));
  return (
    <p className="facts legend">
      {FIRE_KINDS.filter((kind) => times.has(kind)).map((kind) => (
        <span key={kind}>
          <svg className="swatch" viewBox="0 0 12 24" aria-hidden="true">
            <rect
              width={12}
              y={FIRE_LOOKS[kind].isLow ? 12 : 0}
              height={FIRE_LOOKS[kind].isLow ? 12 : 24}
              {...filled(kind)}
            />
          </svg>{" "}
          {wordOf(say, kind)} <b>{count(times.get(kind) ?? 0)}</b>
        </span>
      ))}
      {EVENT_KINDS.filter((kind) => told.has(kind)).map((kind) => (
        <span key={kind}>
          <span aria-hidden="true" className={`tone-${EVENT_LOOKS[kind].tone}`}>
            {EVENT_LOOKS[kind].glyph}
          </span>{" "}
          {say(`day.${kind}`)}
        </span>
      ))}
    </p>
  );
}

function wordOf(say: Say, kind: FireKind): string {
  return say(kind === "planned" ? "decision.PLANNED" : `day.${kind}`);
}

/** How a bar is filled: stripes are a pattern of the picture. */
function filled(kind: FireKind, more = ""): { className: string; fill?: string } {
  const { tone, texture } = FIRE_LOOKS[kind];
  if (texture === "pale") return { className: `${more} planned` };
  if (texture === "solid") return { className: `${more} fill-${tone}` };
  return { className: more, fill: `url(#day-${tone}-${texture})` };
}

const STRIPES = { broad: { every: 6, high: 4 }, sparse: { every: 6, high: 1.5 } };

function Textures() {
  return (
    <defs>
      {(["wait", "idle"] as const).flatMap((tone) =>
        (["broad", "sparse"] as const).map((texture) => (
          <pattern
            key={`${tone} ${texture}`}
            id={`day-${tone}-${texture}`}
            width={8}
            height={STRIPES[texture].every}
            patternUnits="userSpaceOnUse"
          >
            <rect width={8} height={STRIPES[texture].high} className={`fill-${tone}`} />
          </pattern>
        )),
      )}
    </defs>
  );
}

function Past({ job, fire }: { job: JobOut; fire: FireOut }) {
  const say = useSay();
  const units = useUnits();
  const [isAsked, setAsked] = useState(false);
  const reason = `skip.${fire.reason}`;
  return (
    <li>
      <At iso={fire.due_at} />
      <State of={fire.decision} family="decision" />
      {fire.run && <RunLink run={fire.run} />}
      {fire.run_state && <State of={fire.run_state} />}
      {fire.lateness_s !== null && fire.lateness_s >= 1 && (
        <span className="tone-wait">{say("job.late_by", { span: duration(fire.lateness_s, units) })}</span>
      )}
      {fire.reason && <span className="soft">{isWord(reason) ? say(reason) : <Raw>{fire.reason}</Raw>}</span>}
      {fire.count !== null && fire.count > 1 && (
        <span className="soft">{say("job.times", { count: fire.count })}</span>
      )}
      <span className="end">
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isAsked}
          onClick={() => setAsked(!isAsked)}
        >
          {say("job.why")}
        </Button>
      </span>
      {isAsked && <Why job={job} at={fire.due_at} />}
    </li>
  );
}

function Why({ job, at }: { job: JobOut; at: string }) {
  const zone = useZone();
  const query = useQuery(jobWhy(job.namespace, job.name, at, zone));
  return (
    <div className="whole">
      <Loaded query={query} rows={1}>
        {(found) => found.items.map((why) => <WhyCard key={why.sentence} why={why} />)}
      </Loaded>
    </div>
  );
}
