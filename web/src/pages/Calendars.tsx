/// Calendars: which days count, which come soon, and which jobs use them.
import { Button, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/call.ts";
import { calendar as calendarQuery, calendars } from "../api/queries.ts";
import type { CalendarOut } from "../api/types.ts";
import { fromYaml, toYaml } from "../format/yaml.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { Json } from "../parts/Json.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { JobLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { At } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

const NEW = "country: CN\nexclude: [2026-12-31]\nshift: next\n";

export function CalendarsPage() {
  const say = useSay();
  const rights = useRights();
  const { name } = useSearch({ from: "/calendars" });
  const query = useQuery(calendars());
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div className="title">
        <h1>{say("calendars.title")}</h1>
        <div className="acts">
          {rights.write && <Button onClick={() => setNew(true)}>{say("calendars.new")}</Button>}
        </div>
      </div>
      <Loaded query={query} rows={8}>
        {(found) => (
          <div className="columns">
            <ul className="lines" aria-label={say("calendars.list")}>
              {found.items.map((one) => (
                <li key={one.name}>
                  <Link
                    to="/calendars"
                    search={{ name: one.name }}
                    className="linklike name"
                    aria-current={one.name === name}
                  >
                    <Raw>{one.name}</Raw>
                  </Link>
                  <span className="soft">
                    {one.version === null
                      ? say("calendars.built_in")
                      : say("job.version", { version: one.version })}
                  </span>
                  {one.created_at && (
                    <span className="end soft">
                      <At iso={one.created_at} /> <Raw>{one.created_by}</Raw>
                    </span>
                  )}
                </li>
              ))}
            </ul>
            {name && <Details name={name} />}
          </div>
        )}
      </Loaded>
      {isNew && <CalendarDialog close={() => setNew(false)} />}
    </>
  );
}

function Details({ name }: { name: string }) {
  const say = useSay();
  const rights = useRights();
  const query = useQuery(calendarQuery(name));
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-labelledby="calendar">
      <h2 id="calendar">
        <Raw>{name}</Raw>
      </h2>
      <Loaded query={query}>
        {(found) => (
          <>
            <Json value={toYaml(found.calendar)} label={say("calendars.days")} />
            {rights.write && found.source === "saved" && (
              <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
                {say("do.edit")}
              </Button>
            )}
            {found.users !== null && (
              <>
                <h2 className="gap">{say("calendars.users")}</h2>
                {found.users.length === 0 && <p className="soft">{say("calendars.no_users")}</p>}
                <ul className="lines">
                  {found.users.map((user) => (
                    <li key={`${user.namespace}/${user.job}`}>
                      <JobLink job={{ name: user.job, namespace: user.namespace }} />
                      <span className="soft">{say("job.version", { version: user.pinned })}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
            <h2 className="gap">{say("calendars.ahead")}</h2>
            {found.ahead?.length === 0 && <p className="soft">{say("calendars.no_ahead")}</p>}
            <ul className="lines">
              {found.ahead?.slice(0, 30).map((day) => (
                <li key={day.day}>
                  <span>{day.day}</span>
                  <span className={day.counts ? "tone-good" : "tone-idle"}>
                    {say(day.counts ? "calendars.counts" : "calendars.closed")}
                  </span>
                  <span className="soft">
                    <Raw>{day.why}</Raw>
                  </span>
                </li>
              ))}
            </ul>
            {isOpen && <CalendarDialog found={found} close={() => setOpen(false)} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function CalendarDialog({ found, close }: { found?: CalendarOut; close: () => void }) {
  const say = useSay();
  const navigate = useNavigate({ from: "/calendars" });
  const [name, setName] = useState(found?.name ?? "");
  const [text, setText] = useState(found ? toYaml(found.calendar) : NEW);
  const read = fromYaml(text);
  const broken = "says" in read ? say("edit.broken", { line: read.line, says: read.says }) : undefined;
  return (
    <Confirm
      title={found ? say("calendars.edit_title", { name }) : say("calendars.new")}
      says={say("calendars.save_says")}
      action={say("do.save")}
      isOff={broken !== undefined}
      close={close}
      change={async ({ reason, key }) => {
        if ("says" in read) return;
        await call("put_calendar", { path: { name }, body: { calendar: read.value, reason }, key });
        tell(say("calendars.saved", { name }));
        void navigate({ search: { name }, replace: true });
      }}
    >
      {!found && (
        <TextInput
          label={say("calendars.name")}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={say("calendars.days")}
        classNames={{ input: "mono" }}
        rows={8}
        value={text}
        error={broken}
        onChange={(event) => setText(event.currentTarget.value)}
        translate="no"
      />
    </Confirm>
  );
}
