/// The range that was brushed, with the buttons that do the same by keys.
import { Button } from "@mantine/core";
import { closer, moved, type TimeRange } from "../format/figures.ts";
import { clockTime } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { useNow, useZone } from "./settings.ts";

interface Props {
  /** The range that is shown. */
  shown: TimeRange;
  isChosen: boolean;
  choose: (range: TimeRange | null) => void;
}

export function RangeBar({ shown, isChosen, choose }: Props) {
  const say = useSay();
  const zone = useZone();
  const now = useNow();
  const time = (iso: string) => clockTime(iso, zone, now);
  return (
    <p className="row small rangebar">
      {isChosen ? (
        <b>{say("brush.range", { from: time(shown.from), to: time(shown.to) })}</b>
      ) : (
        <span className="soft">{say("brush.hint")}</span>
      )}
      <Button size="compact-xs" variant="default" onClick={() => choose(moved(shown, -1))}>
        {say("brush.earlier")}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => choose(moved(shown, 1))}>
        {say("brush.later")}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => choose(closer(shown))}>
        {say("brush.in")}
      </Button>
      {isChosen && (
        <Button size="compact-xs" variant="default" onClick={() => choose(null)}>
          {say("brush.whole")}
        </Button>
      )}
    </p>
  );
}
