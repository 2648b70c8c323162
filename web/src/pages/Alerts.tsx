/// Alerts: what fires, by level; what somebody looks after; what is over; and the rules, channels and silences behind them.
import { NativeSelect, Tabs } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { alerts, OPEN, OVER } from "../api/alerts.ts";
import type { AlertOut } from "../api/types.ts";
import { LEVELS, sorted } from "../format/alerts.ts";
import { AlertLine } from "../parts/AlertLine.tsx";
import { ChosenText } from "../parts/ChosenText.tsx";
import { useRuleNames } from "../parts/names.ts";
import { Pages } from "../parts/Pages.tsx";
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
          <Filters />
          <Open />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Filters />
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

function Filters() {
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
    </div>
  );
}

function useWanted(state: string) {
  const { level, rule, job } = useSearch({ from: "/alerts" });
  return useInfiniteQuery(alerts({ state, level, rule, job }));
}

function Open() {
  const say = useSay();
  return (
    <Pages
      query={useWanted(OPEN)}
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
      {(all) => <Sections alerts={all} />}
    </Pages>
  );
}

/** The gravest first; what nobody is told of last. */
function Sections({ alerts: all }: { alerts: AlertOut[] }) {
  const found = sorted(all);
  return (
    <>
      {LEVELS.map((level) => (
        <Section key={level} of={level} word={`alerts.firing_${level}`} alerts={found.firing[level]} />
      ))}
      <Section of="acknowledged" word="alerts.acknowledged" alerts={found.acknowledged} />
      <Section of="silent" word="alerts.silenced" alerts={found.silent} />
      <Section of="pending" word="alerts.pending" alerts={found.pending} />
    </>
  );
}

function Section({ of, word, alerts: all }: { of: string; word: Word; alerts: AlertOut[] }) {
  const say = useSay();
  if (all.length === 0) return null;
  return (
    <section className="part" aria-labelledby={`alerts-${of}`}>
      <h2 id={`alerts-${of}`}>
        {say(word)} ({all.length})
      </h2>
      <ul className="lines">
        {all.map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  );
}

function History() {
  const say = useSay();
  return (
    <Pages query={useWanted(OVER)} rows={6} empty={<p className="empty">{say("alerts.no_history")}</p>}>
      {(all) => (
        <ul className="lines">
          {all.map((alert) => (
            <AlertLine key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
    </Pages>
  );
}
