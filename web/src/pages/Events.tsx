/// What happened, and what did not run. Newest first, with filters in the address; new ones wait while somebody is in the
/// list.
import { Button, NativeSelect, Tabs } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { journal, journalPage } from "../api/queries.ts";
import type { EventOut } from "../api/types.ts";
import { dayOf } from "../format/day.ts";
import { failureOf } from "../format/failures.ts";
import { clockTime } from "../format/time.ts";
import { ChosenText } from "../parts/ChosenText.tsx";
import { EventLine } from "../parts/EventLine.tsx";
import { ExportButton } from "../parts/ExportButton.tsx";
import { Json } from "../parts/Json.tsx";
import { useSubjects } from "../parts/names.ts";
import { Pages } from "../parts/Pages.tsx";
import { useNow, useZone } from "../parts/settings.ts";
import { NewPill, useHeld } from "../parts/useHeld.tsx";
import { useSay } from "../words/say.ts";
import { SpanSelect, sinceOf } from "./eventSpan.tsx";
import { Skips } from "./Skips.tsx";

const TOPICS = ["jobs", "runs", "nodes", "cluster"] as const;
export function EventsPage() {
  const say = useSay();
  const { tab = "events" } = useSearch({ from: "/events" });
  const navigate = useNavigate({ from: "/events" });
  return (
    <>
      <div className="title">
        <h1>{say("events.title")}</h1>
      </div>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: next === "skips" ? { tab: next } : {} })}
        keepMounted={false}
      >
        <Tabs.List aria-label={say("events.tabs")} mb="md">
          <Tabs.Tab value="events">{say("events.tab_events")}</Tabs.Tab>
          <Tabs.Tab value="skips">{say("events.tab_skips")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events">
          <Journal />
        </Tabs.Panel>
        <Tabs.Panel value="skips">
          <Skips />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Journal() {
  const say = useSay();
  const wanted = useSearch({ from: "/events" });
  const navigate = useNavigate({ from: "/events" });
  const [opened] = useState(Date.now);
  const { topic, subject } = wanted;
  const filter = { topic, subject, since: sinceOf(wanted.span, opened) };
  const query = useInfiniteQuery(journal(filter));
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  const held = useHeld(all, (event) => String(event.id), JSON.stringify(filter));
  const set = (change: Partial<typeof wanted>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== "")),
      replace: true,
    });
  return (
    <>
      <div className="filters">
        <ChosenText
          value={subject ?? ""}
          set={(name) => set({ subject: name })}
          label={say("events.subject")}
          useNames={useSubjects}
          isMain
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
        <SpanSelect value={wanted.span} set={(span) => set({ span })} />
        <ExportButton file="events" read={journalPage(filter)} />
        <NewPill {...held} />
      </div>
      <div {...held.around}>
        <Pages query={query} rows={12} empty={<p className="empty">{say("events.none")}</p>}>
          {() => <Days events={held.rows.map(({ item }) => item)} />}
        </Pages>
      </div>
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

/** The store was away: a gap in what happened. */
function outageOf(event: EventOut): { fromMs: number; toMs: number } | null {
  const found = failureOf(event);
  if (found === null || found.type !== "store_unreachable" || found.toMs === null) return null;
  return { fromMs: found.fromMs, toMs: found.toMs };
}

function Away({ fromMs, toMs }: { fromMs: number; toMs: number }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const at = (ms: number) => clockTime(new Date(ms).toISOString(), zone, now);
  return <b>{say("events.away", { from: at(fromMs), to: at(toMs) })}</b>;
}

function Told({ event }: { event: EventOut }) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const outage = outageOf(event);
  return (
    <EventLine event={event} className={outage ? "outage" : undefined}>
      {outage && <Away {...outage} />}
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
