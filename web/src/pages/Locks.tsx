/// Locks: who holds each, under which token and until when, who waits, and the way to take one away.
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { call } from "../api/call.ts";
import { lock, locks } from "../api/queries.ts";
import type { LockOut, LockOwnerOut } from "../api/types.ts";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { Detail } from "../parts/Detail.tsx";
import { EventLine } from "../parts/EventLine.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { JobLink, NodeLink, RunLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { At, FromNow, Since } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

const EXAMPLE = `with ctx.lock("acct:42") as lock:
    ...`;

type Held = { lock: LockOut; owner: LockOwnerOut };

export function LocksPage() {
  const say = useSay();
  const query = useInfiniteQuery(locks());
  const [taken, setTaken] = useState<Held | null>(null);
  const { name, namespace = "default" } = useSearch({ from: "/locks" });
  const navigate = useNavigate({ from: "/locks" });
  return (
    <>
      <div className="title">
        <h1>{say("locks.title")}</h1>
      </div>
      <Pages
        query={query}
        empty={
          <div className="empty">
            <p>{say("locks.none")}</p>
            <Command text={EXAMPLE} />
          </div>
        }
      >
        {(all) => <LockTable locks={all} take={setTaken} />}
      </Pages>
      {name !== undefined && (
        <Whole
          name={name}
          namespace={namespace}
          close={() =>
            void navigate({ search: ({ in: within }) => (within ? { in: within } : {}), replace: true })
          }
        />
      )}
      {taken && <TakeDialog held={taken} close={() => setTaken(null)} />}
    </>
  );
}

function LockTable({ locks: all, take }: { locks: LockOut[]; take: (held: Held) => void }) {
  const say = useSay();
  const rights = useRights();
  return (
    <ListTable
      label={say("locks.list")}
      heads={[
        "locks.name",
        "locks.owner",
        "locks.mode",
        { word: "locks.token", isRight: true },
        { word: "locks.age", isRight: true },
        "locks.until",
      ]}
      hasActions
    >
      {all.map((lock) => (
        <Fragment key={`${lock.namespace}/${lock.name}`}>
          {lock.holders.map((owner, index) => (
            <tr key={`${owner.owner} ${owner.token}`}>
              <td className="first">{index === 0 && <Name lock={lock} />}</td>
              <td>
                <Owner owner={owner} namespace={lock.namespace} />
              </td>
              <td>
                <Mode mode={owner.mode} />
              </td>
              <td className="right mono" data-label={say("locks.token")}>
                {owner.token}
              </td>
              <td className="right" data-label={say("locks.age")}>
                {owner.granted_at && <Since iso={owner.granted_at} />}
              </td>
              <td data-label={say("locks.until")}>
                <FromNow iso={owner.until} />
              </td>
              <td className="tight">
                {rights.run && owner.token !== null && (
                  <Button size="compact-xs" variant="default" onClick={() => take({ lock, owner })}>
                    {say("locks.take")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
          {lock.waiters.map((owner, index) => (
            <tr key={`${owner.owner} ${owner.asked_at} waits`}>
              <td className="first">{index === 0 && lock.holders.length === 0 && <Name lock={lock} />}</td>
              <td>
                <span className="row">
                  <span className="tone-wait">{say("locks.waits", { place: index + 1 })}</span>
                  <Owner owner={owner} namespace={lock.namespace} />
                </span>
              </td>
              <td>
                <Mode mode={owner.mode} />
              </td>
              <td />
              <td className="right" data-label={say("locks.age")}>
                <Since iso={owner.asked_at} />
              </td>
              <td />
              <td />
            </tr>
          ))}
        </Fragment>
      ))}
    </ListTable>
  );
}

function Name({ lock }: { lock: LockOut }) {
  const { name, namespace } = lock;
  return (
    <Link
      to="/locks"
      search={(before) => ({ ...before, name, ...(namespace !== "default" && { namespace }) })}
      className="name"
    >
      <Raw mono>
        {namespace !== "default" && <span className="soft">{namespace} / </span>}
        {name}
      </Raw>
    </Link>
  );
}

/** Who waits for whom, in which order to take it beside other locks, and what was broken at it. */
function Whole({ name, namespace, close }: { name: string; namespace: string; close: () => void }) {
  const say = useSay();
  const query = useQuery(lock(name, namespace));
  return (
    <Detail title={<Raw mono>{name}</Raw>} query={query} close={close}>
      {(found) => (
        <div className="stack">
          {found.advice && (
            <div className="why">
              <p>{found.advice}</p>
            </div>
          )}
          <section aria-labelledby="waits">
            <h2 id="waits">{say("locks.who_waits")}</h2>
            {found.waiters.length === 0 && <p className="soft">{say("locks.nobody_waits")}</p>}
            <ul className="lines">
              {found.waiters.map((waiter, index) => (
                <li key={`${waiter.owner} ${waiter.asked_at}`}>
                  <Owner owner={waiter} namespace={namespace} />
                  <span className="soft">{say("locks.waits_for", { place: index + 1 })}</span>
                  {found.holders.map((holder) => (
                    <Owner key={`${holder.owner} ${holder.token}`} owner={holder} namespace={namespace} />
                  ))}
                  <span className="end soft">
                    <Since iso={waiter.asked_at} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
          <section aria-labelledby="deadlocks">
            <h2 id="deadlocks">{say("locks.deadlocks")}</h2>
            {found.deadlocks.length === 0 && <p className="soft">{say("locks.no_deadlocks")}</p>}
            <ul className="lines">
              {found.deadlocks.map((event) => (
                <EventLine key={event.id} event={event}>
                  <span className="whole">
                    <Raw>{String(event.data.cycle ?? "")}</Raw>
                  </span>
                </EventLine>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Detail>
  );
}

/** Its job is of the namespace of the lock: runs take no other ones. */
function Owner({ owner, namespace }: { owner: LockOwnerOut; namespace: string }) {
  return (
    <span className="row">
      {owner.owner.startsWith("r-") ? <RunLink run={owner.owner} /> : <Raw>{owner.owner}</Raw>}
      {owner.job && <JobLink job={{ name: owner.job, namespace }} />}
      {owner.node && (
        <span className="soft">
          <NodeLink node={owner.node} />
        </span>
      )}
    </span>
  );
}

function Mode({ mode }: { mode: string }) {
  const say = useSay();
  if (mode === "exclusive" || mode === "shared") return say(`mode.${mode}`);
  return <Raw>{mode}</Raw>;
}

function TakeDialog({ held, close }: { held: Held; close: () => void }) {
  const say = useSay();
  const { lock, owner } = held;
  const { name, namespace } = lock;
  return (
    <Confirm
      title={say("locks.take_title", { name })}
      says={say("locks.take_says", { owner: owner.owner, count: lock.waiters.length })}
      action={say("locks.take")}
      name={name}
      isDanger
      act={(reason) => ({
        verb: "lock release",
        of: name,
        namespace,
        options: { token: owner.token ?? "", force: true, reason },
      })}
      close={close}
      change={async ({ reason, key }) => {
        const body = { token: owner.token ?? "", reason };
        await call("release_lock", { path: { name }, query: { namespace }, body, key });
        tell(say("locks.taken", { name, owner: owner.owner }));
      }}
    >
      <p className="soft small">
        {say("locks.token")} <Raw mono>{owner.token}</Raw> · <At iso={owner.granted_at ?? owner.asked_at} />
      </p>
    </Confirm>
  );
}
