/// One alert in a list: how grave, the sentence, what it touches, the next step; and what can be done in one press.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AlertOut } from "../api/types.ts";
import { runOf } from "../format/alerts.ts";
import { useSay } from "../words/say.ts";
import { RetryDialog } from "./actions.tsx";
import { ResolveDialog, SilenceMenu, useAcknowledge } from "./alertActions.tsx";
import { Raw } from "./Raw.tsx";
import { useRights } from "./rights.ts";
import { State } from "./State.tsx";
import { At, FromNow } from "./Times.tsx";

/** `isGone`: the list that it stands in has it no more. */
export function AlertLine({ alert, isGone = false }: { alert: AlertOut; isGone?: boolean }) {
  const say = useSay();
  const isOver = alert.state === "RESOLVED";
  return (
    <li className={isGone ? "alertline aside gone" : "alertline aside"}>
      <div className="says">
        <State of={alert.level} family="level" />
        <Link
          to="/alerts"
          search={isOver ? { tab: "history", id: alert.id } : { id: alert.id }}
          className="name raw"
        >
          {alert.title}
        </Link>
        <Marks alert={alert} />
        <p className="facts">
          <span>
            {say("alerts.since")} <At iso={alert.began_at} /> (<FromNow iso={alert.began_at} />)
          </span>
          {alert.resolved_at && (
            <span>
              {say("alerts.over")} <At iso={alert.resolved_at} />
            </span>
          )}
          <span>
            {say("alerts.rule")} <Raw>{alert.rule}</Raw>
          </span>
          {alert.subject_count > 1 && <span>{say("alerts.touches", { count: alert.subject_count })}</span>}
          {alert.seen > 1 && <span>{say("alerts.seen", { count: alert.seen })}</span>}
        </p>
        {!isOver && alert.hint && <p className="raw">{alert.hint}</p>}
      </div>
      <AlertActs alert={alert} />
    </li>
  );
}

function Marks({ alert }: { alert: AlertOut }) {
  const say = useSay();
  return (
    <>
      {alert.state === "PENDING" && <span className="tag tone-idle">{say("alert.PENDING")}</span>}
      {alert.silence !== null && <span className="tag tone-idle">{say("alerts.silent")}</span>}
      {alert.state === "ACKNOWLEDGED" && (
        <span className="tag tone-busy">
          {say("alert.ACKNOWLEDGED")} <Raw>{alert.acked_by}</Raw>
        </span>
      )}
      {alert.state === "RESOLVED" && <span className="tag tone-good">{say("alert.RESOLVED")}</span>}
    </>
  );
}

/** The log of the run that shows it, another try, somebody looks after it, silence; what is over has only the log. */
export function AlertActs({ alert, hasEnd = false }: { alert: AlertOut; hasEnd?: boolean }) {
  const say = useSay();
  const rights = useRights();
  const acknowledging = useAcknowledge(alert);
  const [opened, setOpened] = useState<"" | "retry" | "resolve">("");
  const run = runOf(alert);
  const job = alert.subjects[0]?.subject ?? "";
  const isOpen = alert.state !== "RESOLVED";
  return (
    <span className="end acts">
      {run && (
        <Button
          size="compact-xs"
          variant="default"
          renderRoot={(props) => <Link to="/runs/$run" params={{ run }} {...props} />}
        >
          {say("do.log")}
        </Button>
      )}
      <OpenSubject alert={alert} />
      {run && isOpen && alert.kind === "failed" && rights.run && (
        <Button size="compact-xs" variant="default" onClick={() => setOpened("retry")}>
          {say("do.retry")}
        </Button>
      )}
      {alert.state === "FIRING" && rights.run && (
        <Button
          size="compact-xs"
          variant="default"
          loading={acknowledging.isPending}
          onClick={() => acknowledging.mutate()}
        >
          {say("alerts.ack")}
        </Button>
      )}
      {isOpen && alert.silence === null && rights.run && <SilenceMenu alert={alert} />}
      {isOpen && hasEnd && rights.run && (
        <Button size="compact-xs" variant="default" onClick={() => setOpened("resolve")}>
          {say("alerts.resolve")}
        </Button>
      )}
      {opened === "retry" && run && <RetryDialog run={{ id: run, job }} close={() => setOpened("")} />}
      {opened === "resolve" && <ResolveDialog alert={alert} close={() => setOpened("")} />}
    </span>
  );
}

/** What has no log has a page: a check, a node. */
function OpenSubject({ alert }: { alert: AlertOut }) {
  const say = useSay();
  const first = alert.subjects[0];
  if (!first || (alert.kind !== "heartbeat" && alert.kind !== "node")) return null;
  const { subject: name, namespace } = first;
  return (
    <Button
      size="compact-xs"
      variant="default"
      renderRoot={(props) =>
        alert.kind === "heartbeat" && namespace !== null ? (
          <Link to="/checks" search={{ name, namespace }} {...props} />
        ) : (
          <Link to="/nodes" search={{ node: name }} {...props} />
        )
      }
    >
      {say("do.open")}
    </Button>
  );
}
