/// One line of the journal: when, what, who; and why, where somebody said so.
import type { ReactNode } from "react";
import type { EventOut } from "../api/types.ts";
import { eventPlace } from "../format/eventPlace.ts";
import { movedOf } from "../format/moved.ts";
import { isWord, useSay } from "../words/say.ts";
import { CheckLink, JobLink, RowLink, RunLink } from "./links.tsx";
import { Raw } from "./Raw.tsx";
import { At } from "./Times.tsx";

interface Props {
  event: EventOut;
  className?: string | undefined;
  children?: ReactNode;
}

export function EventLine({ event, className, children }: Props) {
  const say = useSay();
  const word = `event.${event.kind}`;
  const reason = event.data.reason;
  return (
    <li className={className}>
      <span className="soft">
        <At iso={event.at} />
      </span>
      <Subject event={event} />
      <span>{isWord(word) ? say(word) : <Raw mono>{event.kind}</Raw>}</span>
      <About event={event} />
      <span className="soft">
        <Raw>{event.by}</Raw>
      </span>
      {typeof reason === "string" && reason !== "" && (
        <span className="soft">
          <Raw>{reason}</Raw>
        </span>
      )}
      {children}
    </li>
  );
}

function Subject({ event }: { event: EventOut }) {
  if (event.topic === "jobs" && event.namespace !== null && event.kind.startsWith("job.")) {
    return <JobLink job={{ name: event.subject, namespace: event.namespace }} />;
  }
  if (event.namespace !== null && event.kind.startsWith("check.") && event.kind !== "check.removed") {
    return <CheckLink check={{ name: event.subject, namespace: event.namespace }} />;
  }
  if (event.topic === "runs" && event.subject.startsWith("r-")) return <RunLink run={event.subject} />;
  const place = eventPlace(event);
  if (place === null) return <Raw>{event.subject}</Raw>;
  return (
    <RowLink to={place} className="name">
      <Raw>{event.subject}</Raw>
    </RowLink>
  );
}

/** What the alert of a rule is about, from where to where a job was moved, and what failed or was broken on purpose at a node. */
function About({ event }: { event: EventOut }) {
  const say = useSay();
  if (event.kind === "job.moved") return <Raw>{movedOf(event.data)}</Raw>;
  const { of, type } = event.data;
  if (event.kind.startsWith("alert.") && typeof of === "string") return <Raw>{of}</Raw>;
  if (typeof type !== "string") return null;
  const word = `${event.kind.startsWith("drill.") ? "drilltype" : "failure"}.${type}`;
  return isWord(word) ? <span>{say(word)}</span> : null;
}
