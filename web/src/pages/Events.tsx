/// What happened: changes of jobs, cancels, drains, elections, clocks, tokens. Newest first, with filters in the address.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { journal } from "../api/queries.ts";
import type { EventOut } from "../api/types.ts";
import { dayOf } from "../format/day.ts";
import { EventLine } from "../parts/EventLine.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { Json } from "../parts/Json.tsx";
import { Pages } from "../parts/Pages.tsx";
import { useZone } from "../parts/settings.ts";
import { useSay } from "../words/say.ts";

const TOPICS = ["jobs", "runs", "nodes", "cluster"] as const;
const HOURS = { "1h": 1, "24h": 24, "7d": 168 } as const;
const HOUR_MS = 3_600_000;

type Span = keyof typeof HOURS;

/** Since when, to the minute: a filter that moved with each moment would be read anew with each. */
export function sinceOf(span: string | undefined, nowMs: number): string | undefined {
  if (span === undefined || !(span in HOURS)) return undefined;
  const minute = Math.floor(nowMs / 60_000) * 60_000;
  return new Date(minute - HOURS[span as Span] * HOUR_MS).toISOString();
}

export function EventsPage() {
  const say = useSay();
  const wanted = useSearch({ from: "/events" });
  const navigate = useNavigate({ from: "/events" });
  const [opened] = useState(Date.now);
  const { topic, subject } = wanted;
  const query = useInfiniteQuery(journal({ topic, subject, since: sinceOf(wanted.span, opened) }));
  const set = (change: Partial<typeof wanted>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== "")),
      replace: true,
    });
  return (
    <>
      <div className="title">
        <h1>{say("events.title")}</h1>
      </div>
      <div className="filters">
        <FilterText
          value={subject ?? ""}
          set={(text) => set({ subject: text })}
          hint={say("events.subject")}
        />
        <NativeSelect
          aria-label={say("events.topic")}
          value={topic ?? ""}
          onChange={(event) => set({ topic: event.currentTarget.value })}
          data={[
            { value: "", label: say("events.any") },
            ...TOPICS.map((one) => ({ value: one, label: say(`topic.${one}`) })),
          ]}
        />
        <NativeSelect
          aria-label={say("events.span")}
          value={wanted.span ?? ""}
          onChange={(event) => set({ span: event.currentTarget.value })}
          data={[
            { value: "", label: say("events.ever") },
            ...(Object.keys(HOURS) as Span[]).map((span) => ({ value: span, label: say(`span.${span}`) })),
          ]}
        />
      </div>
      <Pages query={query} rows={12} empty={<p className="empty">{say("events.none")}</p>}>
        {(all) => <Days events={all} />}
      </Pages>
    </>
  );
}

function Days({ events }: { events: EventOut[] }) {
  const zone = useZone();
  const days = new Map<string, EventOut[]>();
  for (const event of events) {
    const day = dayOf(Date.parse(event.at), zone);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days].map(([day, all]) => (
    <section key={day} className="part" aria-label={day}>
      <h2>{day}</h2>
      <ul className="lines">
        {all.map((event) => (
          <Told key={event.id} event={event} />
        ))}
      </ul>
    </section>
  ));
}

function Told({ event }: { event: EventOut }) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  return (
    <EventLine event={event}>
      {Object.keys(event.data).length > 0 && (
        <span className="end">
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {say("events.details")}
          </Button>
        </span>
      )}
      {isOpen && (
        <div className="whole">
          <Json value={event.data} label={say("events.details")} />
        </div>
      )}
    </EventLine>
  );
}
