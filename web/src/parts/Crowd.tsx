/// The crowd ahead: how many instants are due in each of the next minutes, and the busiest of them by name.
import { useQuery } from "@tanstack/react-query";
import { ahead } from "../api/queries.ts";
import type { AheadOut, MinuteAheadOut } from "../api/types.ts";
import { clockTime, count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";
import { JobLink } from "./links.tsx";
import { useNow, useZone } from "./settings.ts";

const MINUTES = 60;
const MINUTE_MS = 60_000;
const HEIGHT = 56;
const STEP = 10;
const NAMED = 3;

export function Crowd() {
  const query = useQuery(ahead(MINUTES));
  return (
    <Loaded query={query} rows={2}>
      {(found) => <Picture found={found} />}
    </Loaded>
  );
}

/** The minutes with the most instants, the first of equals first; none when no minute stands out. */
export function busiest(minutes: MinuteAheadOut[], most: number): MinuteAheadOut[] {
  const crowded = minutes.filter((minute) => minute.fires > 1);
  return [...crowded].sort((one, other) => other.fires - one.fires).slice(0, most);
}

function Picture({ found }: { found: AheadOut }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const begin = Math.floor(Date.parse(found.now) / MINUTE_MS) * MINUTE_MS;
  const most = Math.max(1, ...found.minutes.map((minute) => minute.fires));
  const total = found.minutes.reduce((sum, minute) => sum + minute.fires, 0);
  const peaks = busiest(found.minutes, NAMED);
  const time = (iso: string) => clockTime(iso, zone, now).replace(/:00$/, "");
  if (total === 0) return <p className="soft">{say("crowd.none")}</p>;
  return (
    <div className="crowd">
      <svg
        viewBox={`0 0 ${MINUTES * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={say("crowd.label", { count: count(total) })}
      >
        {found.minutes.map((minute) => {
          const at = (Date.parse(minute.at) - begin) / MINUTE_MS;
          const height = Math.max(3, (minute.fires / most) * (HEIGHT - 2));
          return (
            <rect
              key={minute.at}
              x={at * STEP + 1}
              y={HEIGHT - height}
              width={STEP - 2}
              height={height}
              className={minute.fires === most && most > 1 ? "peak" : undefined}
            >
              <title>{`${time(minute.at)} · ${count(minute.fires)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="scale" aria-hidden="true">
        {[0, 15, 30, 45, 60].map((minute) => (
          <span key={minute}>{time(new Date(begin + minute * MINUTE_MS).toISOString())}</span>
        ))}
      </div>
      <ul className="lines">
        {peaks.map((minute) => (
          <li key={minute.at}>
            <span className="nowrap">{time(minute.at)}</span>
            <b>{say("crowd.fires", { count: minute.fires })}</b>
            {minute.jobs.map((job) => (
              <JobLink key={`${job.namespace}/${job.name}`} job={job} />
            ))}
            {minute.fires > minute.jobs.length && (
              <span className="soft">{say("crowd.more", { count: minute.fires - minute.jobs.length })}</span>
            )}
          </li>
        ))}
      </ul>
      {!found.is_whole && <p className="soft small">{say("crowd.part")}</p>}
    </div>
  );
}
