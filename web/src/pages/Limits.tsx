/// Limits: how much of each is in use, which runs hold it, how many wait for it, which jobs count in it.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { limit as limitQuery, limits } from "../api/queries.ts";
import type { LimitHolderOut, LimitOut, LimitUseOut } from "../api/types.ts";
import type { Act } from "../format/snippets.ts";
import { count } from "../format/time.ts";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { Detail } from "../parts/Detail.tsx";
import { useDraft } from "../parts/draft.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, RunLink } from "../parts/links.tsx";
import { Meter } from "../parts/Meter.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { FromNow, Since } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { isWord, useSay } from "../words/say.ts";

type Opened = { what: "new" } | { what: "set" | "remove"; limit: LimitOut } | null;

export function LimitsPage() {
  const say = useSay();
  const rights = useRights();
  const { name, namespace, kind } = useSearch({ from: "/limits" });
  const navigate = useNavigate({ from: "/limits" });
  const query = useInfiniteQuery(limits());
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      <div className="title">
        <h1>{say("limits.title")}</h1>
        <div className="acts">
          {rights.admin && <Button onClick={() => setOpened({ what: "new" })}>{say("limits.new")}</Button>}
        </div>
      </div>
      <Pages
        query={query}
        empty={
          <div className="empty">
            <p>{say("limits.none")}</p>
            <Command text="foliot limit set settle-db 4" />
          </div>
        }
      >
        {(all) => <LimitTable limits={all} open={setOpened} />}
      </Pages>
      {name && (
        <Opening
          name={name}
          namespace={namespace}
          kind={kind}
          close={() => void navigate({ search: {}, replace: true })}
        />
      )}
      {opened?.what === "new" && <SetDialog close={close} />}
      {opened?.what === "set" && <SetDialog limit={opened.limit} close={close} />}
      {opened?.what === "remove" && <RemoveDialog limit={opened.limit} close={close} />}
    </>
  );
}

function LimitTable({ limits: all, open }: { limits: LimitOut[]; open: (opened: Opened) => void }) {
  const say = useSay();
  const rights = useRights();
  return (
    <ListTable label={say("limits.list")} heads={["limits.name", "limits.whose", "limits.used"]} hasActions>
      {all.map((limit) => (
        <tr key={`${limit.kind} ${limit.namespace} ${limit.name}`}>
          <td className="first">
            <Link to="/limits" search={addressOf(limit)} className="name">
              <Raw mono>{limit.name}</Raw>
            </Link>
          </td>
          <td>
            <Whose limit={limit} />
          </td>
          <td>
            <Use limit={limit} />
          </td>
          <td className="tight">
            {rights.admin && settableKind(limit) !== null && (
              <>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`${say("limits.set")} ${limit.name}`}
                  onClick={() => open({ what: "set", limit })}
                >
                  {say("limits.set")}
                </Button>{" "}
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`${say("limits.remove")} ${limit.name}`}
                  onClick={() => open({ what: "remove", limit })}
                >
                  {say("limits.remove")}
                </Button>
              </>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

/** Jobs name it, or it is of a whole group or namespace; kinds that this console does not know are shown by their word. */
function Whose({ limit }: { limit: LimitOut }) {
  const say = useSay();
  const word = `limitkind.${limit.kind}`;
  if (limit.kind !== "named") {
    return <span className="tag tone-idle">{isWord(word) ? say(word) : limit.kind}</span>;
  }
  if (limit.namespace !== null) return <Raw>{limit.namespace}</Raw>;
  return <span className="tag tone-busy">{say("limits.cluster")}</span>;
}

/** The kind of a limit that an admin sets; null: a job brings it along, and it is changed with the job. */
function settableKind(limit: LimitOut): Kind | null {
  if (limit.kind === "group" || limit.kind === "namespace") return limit.kind;
  return limit.kind === "named" && limit.namespace === null ? "named" : null;
}

function addressOf({ name, namespace, kind }: LimitOut) {
  return { name, ...(kind === "named" ? namespace && { namespace } : { kind }) };
}

function Use({ limit }: { limit: LimitOut }) {
  const say = useSay();
  const { max } = limit;
  return (
    <span className="row">
      {max === null ? (
        <span>{say("limits.running", { count: limit.used })}</span>
      ) : (
        <Meter
          label={`${say("limits.used")} ${limit.name}`}
          value={limit.used}
          max={max}
          text={`${count(limit.used)} / ${count(max)}`}
        />
      )}
      {max !== null && (
        <span className={limit.used < max ? "soft small" : "tone-wait small"}>
          {limit.used < max ? say("limits.free", { free: count(max - limit.used) }) : say("limits.full")}
        </span>
      )}
      {limit.rate !== null && (
        <span className="tag tone-idle" translate="no">
          {limit.rate}
        </span>
      )}
      {limit.next_at !== null && (
        <span className="tone-wait small">
          {say("limits.next")} <FromNow iso={limit.next_at} />
        </span>
      )}
    </span>
  );
}

interface OpeningProps {
  name: string;
  namespace: string | undefined;
  kind: string | undefined;
  close: () => void;
}

function Opening({ name, namespace, kind, close }: OpeningProps) {
  const query = useQuery(limitQuery(name, namespace, kind));
  return (
    <Detail title={<Raw mono>{name}</Raw>} query={query} close={close}>
      {(found) => <Whole limit={found} />}
    </Detail>
  );
}

function Whole({ limit }: { limit: LimitUseOut }) {
  const say = useSay();
  return (
    <div className="stack">
      <Use limit={limit} />
      <section aria-labelledby="holders">
        <h2 id="holders">{say("limits.holders")}</h2>
        {limit.holders.length === 0 && <p className="soft">{say("limits.no_holders")}</p>}
        <ul className="lines">
          {limit.holders.map((holder) => (
            <Holder key={holder.run} holder={holder} />
          ))}
        </ul>
        {limit.hidden > 0 && <p className="soft">{say("limits.hidden", { count: limit.hidden })}</p>}
      </section>
      <p className={limit.waiting > 0 ? "tone-wait" : "soft"}>
        {limit.waiting > 0 ? say("limits.waiting", { count: limit.waiting }) : say("limits.no_waiting")}
      </p>
      {limit.oldest && (
        <p className="row">
          <span className="soft">{say("limits.oldest")}</span>
          <RunLink run={limit.oldest.run} />
          <JobLink job={{ name: limit.oldest.job, namespace: limit.oldest.namespace }} />
          <Since iso={limit.oldest.since} />
        </p>
      )}
      <section aria-labelledby="users">
        <h2 id="users">{say("limits.jobs")}</h2>
        {limit.jobs.length === 0 && <p className="soft">{say("limits.no_jobs")}</p>}
        <ul className="lines">
          {limit.jobs.map((user) => (
            <li key={`${user.namespace}/${user.job}`}>
              <JobLink job={{ name: user.job, namespace: user.namespace }} />
              <span className="end soft">{say("limits.takes", { takes: user.takes })}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Holder({ holder }: { holder: LimitHolderOut }) {
  const say = useSay();
  return (
    <li>
      <RunLink run={holder.run} />
      <JobLink job={{ name: holder.job, namespace: holder.namespace }} />
      <span className="soft">
        <Raw>{holder.worker}</Raw>
      </span>
      <span className="end soft">
        {holder.takes > 1 && say("limits.takes", { takes: holder.takes })} <Since iso={holder.since} />
      </span>
    </li>
  );
}

const SCOPES = ["named", "group", "namespace"] as const;
type Kind = (typeof SCOPES)[number];

/** Where a draft is kept. What was written about other numbers is not for these. */
function placeOf({ kind, namespace, name, max, rate }: LimitOut): string {
  return `limit ${kind} ${namespace}/${name} ${max ?? ""} ${rate ?? ""}`;
}

function SetDialog({ limit, close }: { limit?: LimitOut; close: () => void }) {
  const say = useSay();
  const place = limit ? placeOf(limit) : "limit";
  const [{ kind, name, max, rate }, keep, forget] = useDraft(place, {
    kind: ((limit && settableKind(limit)) ?? "named") as Kind,
    name: limit?.name ?? "",
    max: limit ? String(limit.max ?? "") : "1",
    rate: limit?.rate ?? "",
  });
  const isNamed = kind === "named";
  // An empty rate of one that has a rate means: any number from now on.
  const wanted = rate || (limit?.rate ? "none" : "");
  // Likewise an empty number of one that has a number.
  const runs = max === "" ? (limit?.max ? ("none" as const) : null) : Number(max);
  const ofNamed = (reason: string) => ({ path: { name }, body: { max: Number(max), reason } });
  const ofScope = (scope: "group" | "namespace", reason: string) => ({
    path: { kind: scope, name },
    body: { max: runs, ...(wanted && { rate: wanted }), reason },
  });
  const set = async (reason: string, key: string) => {
    if (kind === "named") return await call("set_cluster_limit", { ...ofNamed(reason), key });
    return await call("set_scope_limit", { ...ofScope(kind, reason), key });
  };
  const numbers = runs === null ? [] : [String(runs)];
  const actOf = (reason: string): Act => {
    if (kind === "named") {
      return {
        verb: "limit set",
        of: [name, ...numbers],
        options: { cluster: true, reason },
        asked: asked("set_cluster_limit", ofNamed(reason)),
        method: { name: "limits.set", given: [name, Number(max)], options: { reason } },
      };
    }
    return {
      verb: "limit set",
      of: numbers,
      options: { [kind]: name, rate: wanted, reason },
      asked: asked("set_scope_limit", ofScope(kind, reason)),
      method: {
        name: "limits.set_scope",
        given: [kind, name],
        options: { max: runs ?? undefined, rate: wanted, reason },
      },
    };
  };
  return (
    <Confirm
      title={limit ? say("limits.set_title", { name }) : say("limits.new")}
      says={say(limit ? "limits.set_says" : `limits.${kind}_says`)}
      action={say("do.save")}
      isOff={name === "" || (max === "" && (isNamed || rate === ""))}
      act={actOf}
      close={() => {
        forget();
        close();
      }}
      change={async ({ reason, key }) => {
        const made = await set(reason, key);
        const to = [made.max ?? "", made.rate ?? ""].filter((part) => part !== "").join(" · ");
        tell(say("limits.done", { name, max: to }));
      }}
    >
      {!limit && (
        <>
          <NativeSelect
            label={say("limits.whose")}
            value={kind}
            onChange={(event) => keep({ kind: event.currentTarget.value as Kind })}
            data={SCOPES.map((one) => ({ value: one, label: say(`limitkind.${one}`) }))}
          />
          <TextInput
            label={say("limits.name")}
            required
            value={name}
            onChange={(event) => keep({ name: event.currentTarget.value })}
            data-autofocus
          />
        </>
      )}
      <TextInput
        type="number"
        label={say("limits.max")}
        required={isNamed}
        min={1}
        max={100_000}
        value={max}
        onChange={(event) => keep({ max: event.currentTarget.value })}
      />
      {!isNamed && (
        <TextInput
          label={say("limits.rate")}
          description={<span translate="no">100/m · 5/s · 1000/h</span>}
          value={rate}
          onChange={(event) => keep({ rate: event.currentTarget.value })}
        />
      )}
    </Confirm>
  );
}

function RemoveDialog({ limit, close }: { limit: LimitOut; close: () => void }) {
  const say = useSay();
  const { name } = limit;
  const kind = settableKind(limit) ?? "named";
  return (
    <Confirm
      title={say("limits.remove_title", { name })}
      says={say(kind === "named" ? "limits.remove_says" : "limits.remove_scope_says")}
      action={say("limits.remove")}
      hasReason={false}
      isDanger
      act={() =>
        kind === "named"
          ? {
              verb: "limit delete",
              of: name,
              asked: asked("remove_cluster_limit", { path: { name } }),
              method: { name: "limits.remove", given: [name] },
            }
          : {
              verb: "limit delete",
              options: { [kind]: name },
              asked: asked("remove_scope_limit", { path: { kind, name } }),
              method: { name: "limits.remove_scope", given: [kind, name] },
            }
      }
      close={close}
      change={async ({ key }) => {
        if (kind === "named") await call("remove_cluster_limit", { path: { name }, key });
        else await call("remove_scope_limit", { path: { kind, name }, key });
        tell(say("limits.removed", { name }));
      }}
    />
  );
}
