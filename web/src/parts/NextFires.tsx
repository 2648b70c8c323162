/// The next instants of a schedule, in two zones.
import { exactTime } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { useZone } from "./settings.ts";
import { FromNow } from "./Times.tsx";

const SHOWN = 5;

export function NextFires({ instants }: { instants: string[] }) {
  const say = useSay();
  const zone = useZone();
  const other = zone === "UTC" ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  if (instants.length === 0) return <p className="soft">{say("jobs.no_schedule")}</p>;
  const shown = (iso: string, tz: string) => exactTime(iso, tz).slice(0, 19);
  return (
    <table className="list" aria-label={say("edit.next")}>
      <thead>
        <tr translate="no">
          <th>{zone}</th>
          {other !== zone && <th>{other}</th>}
          <th className="right">
            <span className="hidden">{say("edit.next")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {instants.slice(0, SHOWN).map((iso) => (
          <tr key={iso}>
            <td>{shown(iso, zone)}</td>
            {other !== zone && <td className="soft">{shown(iso, other)}</td>}
            <td className="soft right">
              <FromNow iso={iso} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
