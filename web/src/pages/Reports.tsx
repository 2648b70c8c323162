/// Reports: how the runs of a day or a week went, by date and namespace; and the schedules that send them.
import { Button, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { report } from "../api/reports.ts";
import { dayOf, isDay } from "../format/day.ts";
import { KINDS, type Kind, periodBeside } from "../format/reportForm.ts";
import { asReport } from "../format/snippets.ts";
import { ChosenText } from "../parts/ChosenText.tsx";
import { Command } from "../parts/Command.tsx";
import { DayField } from "../parts/DayField.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { useNamespaceNames } from "../parts/names.ts";
import { Step } from "../parts/Step.tsx";
import { useNow, useZone } from "../parts/settings.ts";
import { useSay } from "../words/say.ts";
import { Report } from "./Report.tsx";
import { ReportSchedules } from "./ReportSchedules.tsx";

export function ReportsPage() {
  const say = useSay();
  const { tab = "daily" } = useSearch({ from: "/reports" });
  const navigate = useNavigate({ from: "/reports" });
  const open = (next: string | null) =>
    void navigate({
      // The same day in the other kind of report; a schedule has neither day nor zone.
      search: ({ tab: _, ...rest }) => {
        if (next === "schedules") return { tab: next };
        return next === "weekly" ? { ...rest, tab: next } : rest;
      },
    });
  return (
    <>
      <div className="title">
        <h1>{say("nav.reports")}</h1>
      </div>
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={say("reports.tabs")} mb="md">
          {KINDS.map((kind) => (
            <Tabs.Tab key={kind} value={kind}>
              {say(`reports.${kind}`)}
            </Tabs.Tab>
          ))}
          <Tabs.Tab value="schedules">{say("reports.tab_schedules")}</Tabs.Tab>
        </Tabs.List>
        {KINDS.map((kind) => (
          <Tabs.Panel key={kind} value={kind}>
            <OfPeriod kind={kind} />
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="schedules">
          <ReportSchedules />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** The report of a period: the last that is over, or that of a chosen day. */
function OfPeriod({ kind }: { kind: Kind }) {
  const say = useSay();
  const mine = useZone();
  const now = useNow();
  const { date: asked, tz = mine, namespace } = useSearch({ from: "/reports" });
  const navigate = useNavigate({ from: "/reports" });
  const date = isDay(asked) ? asked : undefined;
  const query = useQuery(report({ kind, date, tz, namespace }));
  const shown = query.data?.date ?? date;
  const go = (next: string | undefined) =>
    void navigate({
      search: ({ date: _, ...rest }) => (next === undefined ? rest : { ...rest, date: next }),
      replace: true,
    });
  const within = (next: string) =>
    void navigate({
      search: ({ namespace: _, ...rest }) => (next === "" ? rest : { ...rest, namespace: next }),
      replace: true,
    });
  const after = shown && periodBeside(kind, shown, 1);
  return (
    <>
      <div className="filters">
        <div className="dates">
          {shown && (
            <Step
              label={say(`reports.before_${kind}`)}
              icon="left"
              act={() => go(periodBeside(kind, shown, -1))}
            />
          )}
          <DayField label={say("reports.date")} value={date ?? shown ?? ""} go={go} />
          {after && after <= dayOf(now, tz) && (
            <Step label={say(`reports.after_${kind}`)} icon="right" act={() => go(after)} />
          )}
          {date !== undefined && (
            <Button variant="default" size="compact-sm" onClick={() => go(undefined)}>
              {say("reports.latest")}
            </Button>
          )}
        </div>
        <ChosenText
          value={namespace ?? ""}
          set={within}
          label={say("reports.everywhere")}
          useNames={useNamespaceNames}
          isMain
        />
      </div>
      <Loaded query={query} rows={8}>
        {(found) => <Report report={found} />}
      </Loaded>
      <section className="part gap" aria-labelledby="command">
        <h2 id="command">{say("reports.as_command")}</h2>
        <Command text={asReport({ kind, date, tz, namespace })} />
      </section>
    </>
  );
}
