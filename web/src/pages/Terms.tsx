/// Who led when: the terms of the last day on one line.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clusterSince } from "../api/journal.ts";
import type { ClusterOut } from "../api/types.ts";
import { type Term, termsOf } from "../format/terms.ts";
import { clockTime } from "../format/time.ts";
import { Raw } from "../parts/Raw.tsx";
import { useNow, useZone } from "../parts/settings.ts";
import { At } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

const DAY_MS = 86_400_000;
const WIDTH = 1440;
const HEIGHT = 26;
const LABEL_MAX = 6;

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
  const at = (ms: number) => ((ms - fromMs) / Math.max(1, now - fromMs)) * WIDTH;
  return (
    <section className="part terms" aria-labelledby="terms">
      <h2 id="terms">{say("terms.title")}</h2>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={say("terms.label", { count: changes })}
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
    </section>
  );
}

function titleOf(term: Term): string {
  return `${term.number} ${term.leader}`;
}
