/// One alert, whole: the sentence and the next step, what it touches with the evidence, its life, and what was sent.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { alert as alertQuery, notices } from "../api/alerts.ts";
import type { AlertOut, AlertSubjectOut } from "../api/types.ts";
import { evidenceOf, lifeOf, type Moment } from "../format/alerts.ts";
import { AlertActs } from "../parts/AlertLine.tsx";
import { AckDialog } from "../parts/alertActions.tsx";
import { Detail } from "../parts/Detail.tsx";
import { CheckLink, JobLink, NodeLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { Runbook } from "../parts/Runbook.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At, FromNow } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

export function AlertDetail({ id, close }: { id: number; close: () => void }) {
  const say = useSay();
  const query = useQuery(alertQuery(id));
  return (
    <Detail title={say("alerts.one", { id })} query={query} close={close}>
      {(alert) => <Content alert={alert} />}
    </Detail>
  );
}

function Content({ alert }: { alert: AlertOut }) {
  const say = useSay();
  const rights = useRights();
  const [isNoting, setNoting] = useState(false);
  return (
    <div className="stack">
      <p className="row">
        <State of={alert.level} family="level" />
        <State of={alert.state} family="alert" />
        {alert.silence !== null && (
          <Link to="/alerts" search={{ tab: "silences" }} className="tag tone-idle">
            {say("alerts.silent")}
          </Link>
        )}
      </p>
      <div className="why raw">
        <p>
          <strong>{alert.title}</strong>
        </p>
        {alert.hint && <p className="soft">{alert.hint}</p>}
        {alert.runbook && (
          <p>
            {say("alerts.runbook")} <Runbook text={alert.runbook} />
          </p>
        )}
      </div>
      <div className="row">
        <AlertActs alert={alert} hasEnd />
        {alert.state === "FIRING" && rights.run && (
          <Button size="compact-xs" variant="default" onClick={() => setNoting(true)}>
            {say("alerts.ack_note")}
          </Button>
        )}
      </div>
      <Facts alert={alert} />
      <section aria-labelledby="touched">
        <h2 id="touched">
          {say("alerts.subjects")} ({alert.subject_count})
        </h2>
        <ul className="lines">
          {alert.subjects.map((subject) => (
            <Subject key={`${subject.namespace}/${subject.subject}`} subject={subject} kind={alert.kind} />
          ))}
        </ul>
      </section>
      <Evidence alert={alert} />
      <Life alert={alert} />
      {isNoting && <AckDialog alert={alert} close={() => setNoting(false)} />}
    </div>
  );
}

function Facts({ alert }: { alert: AlertOut }) {
  const say = useSay();
  return (
    <dl className="pairs">
      <dt>{say("alerts.rule")}</dt>
      <dd>
        <Link to="/alerts" search={{ tab: "rules" }}>
          <Raw>{alert.rule}</Raw>
        </Link>
      </dd>
      <dt>{say("alerts.since")}</dt>
      <dd>
        <At iso={alert.began_at} /> (<FromNow iso={alert.began_at} />)
      </dd>
      <dt>{say("alerts.last")}</dt>
      <dd>
        <At iso={alert.last_at} /> · {say("alerts.seen", { count: alert.seen })}
      </dd>
      <dt>{say("alerts.told")}</dt>
      <dd>{alert.to.length > 0 ? <Raw>{alert.to.join(", ")}</Raw> : say("alerts.default_channels")}</dd>
      {alert.acked_by && (
        <>
          <dt>{say("alert.ACKNOWLEDGED")}</dt>
          <dd>
            <Raw>{[alert.acked_by, alert.ack_note].filter(Boolean).join(": ")}</Raw>
          </dd>
        </>
      )}
      {alert.step > 0 && (
        <>
          <dt>{say("alerts.escalated")}</dt>
          <dd>{say("alerts.steps", { count: alert.step })}</dd>
        </>
      )}
    </dl>
  );
}

function Subject({ subject, kind }: { subject: AlertSubjectOut; kind: AlertOut["kind"] }) {
  const say = useSay();
  const evidence = evidenceOf(subject.data);
  const { run } = subject;
  return (
    <li>
      <span aria-hidden="true" className={subject.ended_at ? "tone-good" : "tone-bad"}>
        {subject.ended_at ? "✔" : "✖"}
      </span>
      <Touched subject={subject} kind={kind} />
      <span className="soft">{say("alerts.seen", { count: subject.count })}</span>
      <span className="soft">
        <At iso={subject.last_at} />
      </span>
      {subject.ended_at && <span className="tag tone-good">{say("alerts.well")}</span>}
      <span className="end">
        {run && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${say("do.log")} ${run}`}
            renderRoot={(props) => <Link to="/runs/$run" params={{ run }} {...props} />}
          >
            {say("do.log")}
          </Button>
        )}
      </span>
      {evidence.length > 0 && (
        <p translate="no" className="mono">
          {evidence.map(([name, value]) => `${name}=${value}`).join("  ")}
        </p>
      )}
    </li>
  );
}

/** The page of what is touched: of a check, a node, a job. */
function Touched({ subject, kind }: { subject: AlertSubjectOut; kind: AlertOut["kind"] }) {
  const { subject: name, namespace } = subject;
  if (kind === "node") return <NodeLink node={name} />;
  if (namespace === null) return <Raw>{name}</Raw>;
  if (kind === "heartbeat") return <CheckLink check={{ name, namespace }} />;
  return <JobLink job={{ name, namespace }} />;
}

function Evidence({ alert }: { alert: AlertOut }) {
  const say = useSay();
  const evidence = evidenceOf(alert.cause);
  if (evidence.length === 0) return null;
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">{say("alerts.evidence")}</h2>
      <dl className="pairs" translate="no">
        {evidence.map(([name, value]) => (
          <div key={name} className="pair">
            <dt className="mono">{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What happened, with each message that was sent. */
function Life({ alert }: { alert: AlertOut }) {
  const say = useSay();
  const sent = useQuery(notices(alert.id));
  const all = sent.data?.items ?? [];
  return (
    <section aria-labelledby="life">
      <h2 id="life">{say("alerts.life")}</h2>
      <ul className="lines">
        {lifeOf(alert, all).map((moment) => (
          <LifeLine key={`${moment.what} ${moment.at} ${moment.notice?.id ?? ""}`} moment={moment} />
        ))}
      </ul>
      {sent.data && all.length === 0 && <p className="soft">{say("alerts.not_told")}</p>}
    </section>
  );
}

function LifeLine({ moment }: { moment: Moment }) {
  const say = useSay();
  const { notice } = moment;
  return (
    <li>
      <span className="soft">
        <At iso={moment.at} />
      </span>
      {notice ? (
        <>
          <span>{say(`notice.${notice.kind}`)}</span>
          <Raw>{moment.by}</Raw>
          <State of={notice.state} family="delivery" />
        </>
      ) : (
        <>
          <span>{say(`alertlife.${moment.what as Exclude<Moment["what"], "notice">}`)}</span>
          {moment.by && (
            <span className="soft">
              <Raw>{moment.by}</Raw>
            </span>
          )}
        </>
      )}
      {moment.says && (
        <p>
          <Raw>{moment.says}</Raw>
        </p>
      )}
    </li>
  );
}
