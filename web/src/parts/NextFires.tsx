/// The next instants of a schedule, in two zones.
import { firesIn, zonesOf } from "../format/fires.ts";
import { browserZone } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { useZone } from "./settings.ts";
import { FromNow } from "./Times.tsx";

/** `own` is the zone of the schedule, as far as it is written. */
export function NextFires({ instants, own }: { instants: string[]; own?: unknown }) {
  const say = useSay();
  const zones = zonesOf(useZone(), own, browserZone());
  if (instants.length === 0) return <p className="soft">{say("jobs.no_schedule")}</p>;
  return (
    <table className="list" aria-label={say("edit.next")}>
      <thead>
        <tr translate="no">
          {zones.map((zone) => (
            <th key={zone}>{zone}</th>
          ))}
          <th className="right">
            <span className="hidden">{say("edit.next")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {firesIn(instants, zones).map(({ iso, shown }) => (
          <tr key={iso}>
            {shown.map((time, place) => (
              <td key={zones[place]} className={place === 0 ? undefined : "soft"}>
                {time}
              </td>
            ))}
            <td className="soft right">
              <FromNow iso={iso} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
