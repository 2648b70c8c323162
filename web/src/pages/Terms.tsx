/// Who led when, and what failed meanwhile: the terms of the last day on one line, with failovers and outages of the store.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clusterSince } from "../api/journal.ts";
import type { ClusterOut } from "../api/types.ts";
import { type Failure, failuresOf } from "../format/failures.ts";
import { failoverPath } from "../format/paths.ts";
import { type Term, termsOf } from "../format/terms.ts";
import { clockTime } from "../format/time.ts";
import { RowLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useNow, useZone } from "../parts/settings.ts";
import { At, Took } from "../parts/Times.tsx";
import { isWord, useSay } from "../words/say.ts";

const DAY_MS = 86_400_000;
const WIDTH = 1440;
const HEIGHT = 26;
const LABEL_MAX = 6;
const LISTED_MAX = 6;
const MARK_MIN = 4;

export function Terms({ cluster }: { cluster: ClusterOut }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const [since] = useState(() => new Date(Math.floor(Date.now() / 60_000) * 60_000 - DAY_MS).toISOString());
  const { data } = useQuery(clusterSince(since));
  const sinceMs = Date.parse(since);
  const terms = termsOf(data?.items ?? [], cluster, sinceMs);
  const fromMs = terms[0]?.fromMs ?? sinceMs; // a young cluster has no whole day to show
  const changes = terms.filter((term) => term.fromMs > fromMs).length;
  const failures = failuresOf(data?.items ?? []).filter((one) => (one.toMs ?? now) >= fromMs);
  const at = (ms: number) => ((ms - fromMs) / Math.max(1, now - fromMs)) * WIDTH;
  return (
    <section className="part terms" aria-labelledby="terms">
      <h2 id="terms">{say("terms.title")}</h2>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${say("terms.label", { count: changes })} ${say("terms.failed", { count: failures.length })}`}
      >
        {terms.map((term, index) => {
          const begin = at(term.fromMs);
          const end = at(terms[index + 1]?.fromMs ?? now);
          return (
            <rect
              key={term.fromMs}
              className={index === terms.length - 1 ? "held" : "past"}
              x={begin}
              y={2}
              width={Math.max(2, end - begin - 2)}
              height={HEIGHT - 4}
            >
              <title translate="no">{`${titleOf(term)} ${clockTime(new Date(term.fromMs).toISOString(), zone, now)}`}</title>
            </rect>
          );
        })}
        {failures.map((failure) => (
          <Mark key={`${failure.id} ${failure.fromMs}`} failure={failure} at={at} nowMs={now} />
        ))}
      </svg>
      <ol className="row small">
        {terms.slice(-LABEL_MAX).map((term) => (
          <li key={term.fromMs} className="nowrap">
            <span className="soft">{say("over.term", { term: term.number })}</span> <Raw>{term.leader}</Raw>{" "}
            {term.fromMs > fromMs && (
              <span className="soft">
                <At iso={new Date(term.fromMs).toISOString()} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {failures.length > 0 && <Failures of={failures.slice(0, LISTED_MAX)} />}
    </section>
  );
}

interface MarkProps {
  failure: Failure;
  at: (ms: number) => number;
  nowMs: number;
}

/** Seldom wider than a stroke: it can be seen however short it was. */
function Mark({ failure, at, nowMs }: MarkProps) {
  const wordOf = useWordOf();
  const zone = useZone();
  const begin = Math.max(0, at(failure.fromMs));
  const width = Math.max(MARK_MIN, at(failure.toMs ?? nowMs) - begin);
  const isStore = failure.type === "store_unreachable" || failure.type === "epoch";
  return (
    <rect
      className={isStore ? "outage" : "failed"}
      x={Math.min(begin, WIDTH - width)}
      y={0}
      width={width}
      height={HEIGHT}
    >
      <title>{`${wordOf(failure)} ${clockTime(new Date(failure.fromMs).toISOString(), zone, nowMs)}`}</title>
    </rect>
  );
}

/** The newest failures of the line in words, each with the way to it. */
function Failures({ of }: { of: Failure[] }) {
  const say = useSay();
  const wordOf = useWordOf();
  return (
    <ul className="row small" aria-label={say("terms.failures")}>
      {of.map((one) => (
        <li key={`${one.id} ${one.fromMs}`} className="nowrap">
          <span className={one.toMs === null ? "tone-bad" : "tone-wait"} aria-hidden="true">
            ▲
          </span>{" "}
          {one.id === null ? wordOf(one) : <RowLink to={failoverPath(one.id)}>{wordOf(one)}</RowLink>}{" "}
          <Raw>{one.subject}</Raw>{" "}
          <span className="soft">
            <At iso={new Date(one.fromMs).toISOString()} />{" "}
            {one.toMs !== null && one.toMs > one.fromMs && <Took seconds={(one.toMs - one.fromMs) / 1000} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

function useWordOf(): (failure: Failure) => string {
  const say = useSay();
  return ({ type }) => {
    const word = type === "epoch" ? "event.store.epoch_raised" : `failure.${type}`;
    return isWord(word) ? say(word) : type;
  };
}

function titleOf(term: Term): string {
  return `${term.number} ${term.leader}`;
}
