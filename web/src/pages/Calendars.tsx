/// Calendars: which days count, which come soon, and which jobs use them.
import { Button, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { calendar as calendarQuery, calendars } from "../api/queries.ts";
import type { CalendarOut } from "../api/types.ts";
import { asFields } from "../format/snippets.ts";
import { fromYaml, toYaml } from "../format/yaml.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { useDraft } from "../parts/draft.ts";
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
  const [opened, setOpened] = useState<"" | "edit" | "delete">("");
  const close = () => setOpened("");
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
              <div className="row">
                <Button variant="default" size="compact-sm" onClick={() => setOpened("edit")}>
                  {say("do.edit")}
                </Button>
                <Button variant="default" size="compact-sm" onClick={() => setOpened("delete")}>
                  {say("do.delete")}
                </Button>
              </div>
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
            {opened === "edit" && <CalendarDialog found={found} close={close} />}
            {opened === "delete" && <DeleteCalendarDialog found={found} close={close} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function CalendarDialog({ found, close }: { found?: CalendarOut; close: () => void }) {
  const say = useSay();
  const navigate = useNavigate({ from: "/calendars" });
  const [{ name, text }, keep, forget] = useDraft(`calendar ${found?.name ?? ""}`, {
    name: found?.name ?? "",
    text: found ? toYaml(found.calendar) : NEW,
  });
  const read = fromYaml(text);
  const broken = "says" in read ? say("edit.broken", { line: read.line, says: read.says }) : undefined;
  return (
    <Confirm
      title={found ? say("calendars.edit_title", { name }) : say("calendars.new")}
      says={say("calendars.save_says")}
      action={say("do.save")}
      isOff={broken !== undefined}
      act={(reason) => {
        const calendar = "value" in read ? read.value : {};
        return {
          verb: "calendar save",
          of: name,
          options: { set: asFields(calendar), reason },
          asked: asked("put_calendar", { path: { name }, body: { calendar, reason } }),
          method: { name: "calendars.put", given: [name, calendar], options: { reason } },
        };
      }}
      close={() => {
        forget();
        close();
      }}
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
          onChange={(event) => keep({ name: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={say("calendars.days")}
        classNames={{ input: "mono" }}
        rows={8}
        value={text}
        error={broken}
        onChange={(event) => keep({ text: event.currentTarget.value })}
        translate="no"
      />
    </Confirm>
  );
}

/** It can be saved again as it was: the press that takes it away can be taken back. */
function DeleteCalendarDialog({ found, close }: { found: CalendarOut; close: () => void }) {
  const say = useSay();
  const navigate = useNavigate({ from: "/calendars" });
  const { name } = found;
  const path = { name };
  const isUsed = (found.users?.length ?? 0) > 0;
  return (
    <Confirm
      title={say("calendars.delete_title", { name })}
      says={say(isUsed ? "calendars.delete_used" : "calendars.delete_says")}
      action={say("do.delete")}
      isDanger
      isOff={isUsed}
      hasReason={false}
      act={() => ({
        verb: "calendar delete",
        of: name,
        asked: asked("delete_calendar", { path }),
        method: { name: "calendars.delete", given: [name] },
      })}
      close={close}
      change={async ({ key }) => {
        await call("delete_calendar", { path, key });
        const undo = async () => {
          await call("put_calendar", { path, body: { calendar: found.calendar, reason: found.reason } });
        };
        tell(say("calendars.deleted", { name }), undefined, { label: say("do.undo"), act: undo });
        void navigate({ search: {}, replace: true });
      }}
    />
  );
}
