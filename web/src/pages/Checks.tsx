/// Checks: jobs outside of Foliot that are to be heard of; how each is, when it pinged last, when it is expected next.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { checks } from "../api/checks.ts";
import type { CheckOut } from "../api/types.ts";
import { Command } from "../parts/Command.tsx";
import { type CheckAct, CheckActs, CheckDialogs } from "../parts/checkActions.tsx";
import { FilterText } from "../parts/FilterText.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { CheckLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { Rhythm } from "../parts/Rhythm.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At, FromNow } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";
import { CheckDetail } from "./CheckDetail.tsx";

const STATES = ["down", "late", "running", "up", "new", "paused"] as const;
const EXAMPLE = 'foliot check create nightly-backup --cron "0 2 * * *" --grace 30m';

export function ChecksPage() {
  const say = useSay();
  const rights = useRights();
  const { name, namespace, q, state } = useSearch({ from: "/checks" });
  const navigate = useNavigate({ from: "/checks" });
  const query = useInfiniteQuery(checks({ q, state }));
  const [act, setAct] = useState<CheckAct>(null);
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <>
      <div className="title">
        <h1>{say("nav.checks")}</h1>
        <span className="soft">{say("checks.says")}</span>
        <div className="acts">
          {rights.write && <Button onClick={() => setAct({ what: "new" })}>{say("checks.new")}</Button>}
        </div>
      </div>
      <Filters />
      <Pages
        query={query}
        empty={
          <div className="empty">
            <p>{say(isFiltered ? "checks.no_match" : "checks.none")}</p>
            {!isFiltered && <Command text={EXAMPLE} />}
          </div>
        }
      >
        {(all) => <CheckTable checks={all} act={setAct} />}
      </Pages>
      {name !== undefined && (
        <CheckDetail
          name={name}
          namespace={namespace ?? "default"}
          act={setAct}
          close={() =>
            void navigate({ search: ({ name: _, namespace: __, ...rest }) => rest, replace: true })
          }
        />
      )}
      <CheckDialogs act={act} close={() => setAct(null)} />
    </>
  );
}

function Filters() {
  const say = useSay();
  const { q = "", state = "" } = useSearch({ from: "/checks" });
  const navigate = useNavigate({ from: "/checks" });
  const set = (field: "q" | "state", value: string) =>
    void navigate({
      search: ({ [field]: _, ...rest }) => (value === "" ? rest : { ...rest, [field]: value }),
      replace: true,
    });
  return (
    <div className="filters">
      <FilterText value={q} set={(value) => set("q", value)} hint={say("checks.filter")} />
      <NativeSelect
        aria-label={say("checks.state")}
        value={state}
        onChange={(event) => set("state", event.currentTarget.value)}
        data={[
          { value: "", label: say("checks.all_states") },
          { value: "down,late", label: say("checks.find_down") },
          ...STATES.map((one) => ({ value: one, label: say(`checkstate.${stateOf(one)}`) })),
        ]}
      />
    </div>
  );
}

function stateOf(word: (typeof STATES)[number]): CheckOut["state"] {
  return word.toUpperCase() as CheckOut["state"];
}

function CheckTable({ checks: all, act }: { checks: CheckOut[]; act: (act: CheckAct) => void }) {
  const say = useSay();
  return (
    <ListTable
      label={say("checks.list")}
      heads={["checks.name", "checks.state", "checks.rhythm", "checks.last", "checks.next", "checks.owner"]}
      hasActions
    >
      {all.map((check) => (
        <tr key={`${check.namespace}/${check.name}`}>
          <td className="first named">
            <CheckLink check={check} />
          </td>
          <td className="wrapped">
            <State of={check.state} family="checkstate" />
            {check.trouble !== null && check.state === "DOWN" && (
              <div className="soft small raw">{check.in_words}</div>
            )}
          </td>
          <td data-label={say("checks.rhythm")}>
            <Rhythm check={check.check} />
          </td>
          <td data-label={say("checks.last")}>
            <LastPing check={check} />
          </td>
          <td data-label={say("checks.next")}>
            {check.due_at ? (
              <>
                <At iso={check.due_at} /> (<FromNow iso={check.due_at} />)
              </>
            ) : (
              "–"
            )}
          </td>
          <td data-label={say("checks.owner")}>
            <Raw>{ownerOf(check)}</Raw>
          </td>
          <td className="tight">
            <CheckActs check={check} act={act} />
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function ownerOf(check: CheckOut): string {
  return typeof check.check.owner === "string" ? check.check.owner : "–";
}

function LastPing({ check }: { check: CheckOut }) {
  const say = useSay();
  if (check.last_at === null) return <span className="soft">{say("checks.never")}</span>;
  return (
    <span className="row tightrow">
      {check.last_kind && <State of={check.last_kind} family="ping" />}
      <At iso={check.last_at} />
    </span>
  );
}
