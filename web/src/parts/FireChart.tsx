/// How often instants were decided over time: those that made a run, those that were skipped, and runs that were leased.
import type { NodeStatsOut } from "../api/types.ts";
import type { TimeRange } from "../format/figures.ts";
import { perSecond, rateText, type Tally } from "../format/rates.ts";
import { count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { Fold } from "./Fold.tsx";
import { ListTable } from "./ListTable.tsx";
import { useNow } from "./settings.ts";
import { LineChart } from "./TimeChart.tsx";
import { At } from "./Times.tsx";

interface Props {
  found: NodeStatsOut;
  tallies: readonly Tally[];
  choose?: (range: TimeRange) => void;
}

export function FireChart({ found, tallies, choose }: Props) {
  const say = useSay();
  const now = useNow();
  const lines = tallies.map((tally) => ({
    name: say(`stats.${tally}`),
    values: perSecond(found, tally, now),
  }));
  return <LineChart title={say("stats.fires")} range={found} lines={lines} top={rateText} choose={choose} />;
}

/** The figures of the chart, newest first. */
export function FireTable({ found, tallies }: Pick<Props, "found" | "tallies">) {
  const say = useSay();
  return (
    <Fold says={say("stats.fire_table")}>
      {() => (
        <ListTable
          label={say("stats.fire_table")}
          heads={[
            "stats.start",
            ...tallies.map((tally) => ({ word: `stats.${tally}`, isRight: true }) as const),
          ]}
        >
          {found.load_points.toReversed().map((point) => (
            <tr key={point.start}>
              <td className="first">
                <At iso={point.start} />
              </td>
              {tallies.map((tally) => (
                <td key={tally} className="right" data-label={say(`stats.${tally}`)}>
                  {count(point[tally])}
                </td>
              ))}
            </tr>
          ))}
        </ListTable>
      )}
    </Fold>
  );
}
