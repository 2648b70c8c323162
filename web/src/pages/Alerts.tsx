/// Alerts: what fires, by level; what somebody looks after; what is over; and the rules, channels and silences behind them.
import { NativeSelect, Tabs } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { alerts, OPEN, OVER } from "../api/alerts.ts";
import type { AlertOut } from "../api/types.ts";
import { LEVELS, sorted } from "../format/alerts.ts";
import type { Row } from "../format/held.ts";
import { AlertLine } from "../parts/AlertLine.tsx";
import { ChosenText } from "../parts/ChosenText.tsx";
import { useRuleNames } from "../parts/names.ts";
import { Pages } from "../parts/Pages.tsx";
import { NewPill, useHeld } from "../parts/useHeld.tsx";
import { useSay, type Word } from "../words/say.ts";
import { Channels } from "./AlertChannels.tsx";
import { AlertDetail } from "./AlertDetail.tsx";
import { Rules } from "./AlertRules.tsx";
import { Silences } from "./Silences.tsx";

const TABS = ["open", "history", "rules", "channels", "silences"] as const;

export function AlertsPage() {
  const say = useSay();
  const { tab = "open", id } = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  return (
    <>
      <div className="title">
        <h1>{say("nav.alerts")}</h1>
      </div>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: next === "open" || !next ? {} : { tab: next } })}
        keepMounted={false}
      >
        <Tabs.List aria-label={say("alerts.tabs")} mb="md">
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {say(`alerts.tab_${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="open">
          <Open />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <Rules />
        </Tabs.Panel>
        <Tabs.Panel value="channels">
          <Channels />
        </Tabs.Panel>
        <Tabs.Panel value="silences">
          <Silences />
        </Tabs.Panel>
      </Tabs>
      {id !== undefined && (
        <AlertDetail
          id={id}
          close={() => void navigate({ search: ({ id: _, ...rest }) => rest, replace: true })}
        />
      )}
    </>
  );
}

function Filters({ children }: { children: ReactNode }) {
  const say = useSay();
  const { level = "", rule = "" } = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  const set = (field: "level" | "rule", value: string) =>
    void navigate({
      search: ({ [field]: _, ...rest }) => (value === "" ? rest : { ...rest, [field]: value }),
      replace: true,
    });
  return (
    <div className="filters">
      <ChosenText
        value={rule}
        set={(name) => set("rule", name)}
        label={say("alerts.filter_rule")}
        useNames={useRuleNames}
        isMain
      />
      <NativeSelect
        aria-label={say("alerts.level")}
        value={level}
        onChange={(event) => set("level", event.currentTarget.value)}
        data={[
          { value: "", label: say("alerts.all_levels") },
          ...LEVELS.map((one) => ({ value: one, label: say(`level.${one}`) })),
        ]}
      />
      {children}
    </div>
  );
}

/** The alerts of a state that the filters let through, as they stood when somebody came into the list. */
function useWanted(state: string) {
  const { level, rule, job } = useSearch({ from: "/alerts" });
  const wanted = { state, level, rule, job };
  const query = useInfiniteQuery(alerts(wanted));
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  return { query, held: useHeld(all, (alert) => String(alert.id), JSON.stringify(wanted)) };
}

function Open() {
  const say = useSay();
  const { query, held } = useWanted(OPEN);
  return (
    <>
      <Filters>
        <NewPill {...held} />
      </Filters>
      <div {...held.around}>
        <Pages
          query={query}
          rows={6}
          empty={
            <p className="empty">
              <span className="tone-good" aria-hidden="true">
                ✔
              </span>{" "}
              {say("alerts.none")}
            </p>
          }
        >
          {() => <Sections rows={held.rows} />}
        </Pages>
      </div>
    </>
  );
}

/** The gravest first; what nobody is told of last. */
function Sections({ rows }: { rows: readonly Row<AlertOut>[] }) {
  const found = sorted(rows.map(({ item }) => item));
  const gone = new Set(rows.flatMap(({ item, isGone }) => (isGone ? [item.id] : [])));
  return (
    <>
      {LEVELS.map((level) => (
        <Section
          key={level}
          of={level}
          word={`alerts.firing_${level}`}
          alerts={found.firing[level]}
          gone={gone}
        />
      ))}
      <Section of="acknowledged" word="alerts.acknowledged" alerts={found.acknowledged} gone={gone} />
      <Section of="silent" word="alerts.silenced" alerts={found.silent} gone={gone} />
      <Section of="pending" word="alerts.pending" alerts={found.pending} gone={gone} />
    </>
  );
}

interface SectionProps {
  of: string;
  word: Word;
  alerts: AlertOut[];
  gone: ReadonlySet<number>;
}

function Section({ of, word, alerts: all, gone }: SectionProps) {
  const say = useSay();
  if (all.length === 0) return null;
  return (
    <section className="part" aria-labelledby={`alerts-${of}`}>
      <h2 id={`alerts-${of}`}>
        {say(word)} ({all.length})
      </h2>
      <ul className="lines">
        {all.map((alert) => (
          <AlertLine key={alert.id} alert={alert} isGone={gone.has(alert.id)} />
        ))}
      </ul>
    </section>
  );
}

function History() {
  const say = useSay();
  const { query, held } = useWanted(OVER);
  return (
    <>
      <Filters>
        <NewPill {...held} />
      </Filters>
      <div {...held.around}>
        <Pages query={query} rows={6} empty={<p className="empty">{say("alerts.no_history")}</p>}>
          {() => (
            <ul className="lines">
              {held.rows.map(({ item }) => (
                <AlertLine key={item.id} alert={item} />
              ))}
            </ul>
          )}
        </Pages>
      </div>
    </>
  );
}
