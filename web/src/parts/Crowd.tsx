/// The crowd ahead: how many instants are due in each of the next minutes, the busiest of them by name, and groups of
/// workers that will be short of slots.
import { useQuery } from "@tanstack/react-query";
import { ahead } from "../api/queries.ts";
import type { AheadOut, MinuteAheadOut } from "../api/types.ts";
import { busiest, slotsNeeded } from "../format/crowd.ts";
import { clockTime, count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { Fold } from "./Fold.tsx";
import { ListTable } from "./ListTable.tsx";
import { Loaded } from "./Loaded.tsx";
import { JobLink } from "./links.tsx";
import { useNow, useZone } from "./settings.ts";
import { At } from "./Times.tsx";

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

function Picture({ found }: { found: AheadOut }) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const begin = Math.floor(Date.parse(found.now) / MINUTE_MS) * MINUTE_MS;
  const most = Math.max(1, ...found.minutes.map((minute) => minute.fires));
  const total = found.minutes.reduce((sum, minute) => sum + minute.fires, 0);
  const peaks = busiest(found.minutes, NAMED);
  const short = found.groups.filter((group) => group.is_short);
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
              <title>
                {`${time(minute.at)} · ${count(minute.fires)} · ${say("crowd.slots", { needs: slotsNeeded(minute.slots) })}`}
              </title>
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
            <Jobs of={minute} />
          </li>
        ))}
      </ul>
      {short.map((group) => (
        <p key={group.group} className="why">
          {say("crowd.short", {
            group: group.group,
            needs: slotsNeeded(group.needs),
            slots: count(group.slots),
            at: time(group.at),
          })}
        </p>
      ))}
      {!found.is_whole && <p className="soft small">{say("crowd.part")}</p>}
      <Fold says={say("stats.as_table")}>
        {() => (
          <ListTable
            label={say("crowd.label", { count: count(total) })}
            heads={["crowd.minute", right("crowd.due"), right("crowd.slots_needed"), "nav.jobs"]}
          >
            {found.minutes.map((minute) => (
              <tr key={minute.at}>
                <td className="first">
                  <At iso={minute.at} />
                </td>
                <td className="right" data-label={say("crowd.due")}>
                  {count(minute.fires)}
                </td>
                <td className="right" data-label={say("crowd.slots_needed")}>
                  {slotsNeeded(minute.slots)}
                </td>
                <td data-label={say("nav.jobs")}>
                  <Jobs of={minute} />
                </td>
              </tr>
            ))}
          </ListTable>
        )}
      </Fold>
    </div>
  );
}

/** Some of the jobs that are due in a minute, and how many more instants there are. */
function Jobs({ of: { jobs, fires } }: { of: MinuteAheadOut }) {
  const say = useSay();
  return (
    <>
      {jobs.map((job) => (
        <span key={`${job.namespace}/${job.name}`}>
          <JobLink job={job} />{" "}
        </span>
      ))}
      {fires > jobs.length && (
        <span className="soft">{say("crowd.more", { count: fires - jobs.length })}</span>
      )}
    </>
  );
}

function right<W>(word: W): { word: W; isRight: true } {
  return { word, isRight: true };
}
