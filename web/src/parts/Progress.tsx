/// How far a run says it is.
import type { ProgressOut } from "../api/types.ts";
import { count, duration } from "../format/time.ts";
import { useSay, useUnits } from "../words/say.ts";

export function Progress({ of }: { of: ProgressOut }) {
  const say = useSay();
  const units = useUnits();
  const share = of.total ? Math.min(1, of.done / of.total) : null;
  return (
    <span className="row small">
      {share !== null && (
        <span
          className="meter"
          role="progressbar"
          aria-label={say("run.progress")}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${share * 100}%` }} />
        </span>
      )}
      <span className="soft nowrap">
        {count(of.done)}
        {of.total !== null && `/${count(of.total)}`}
        {of.left_s !== null && of.left_s > 0 && ` · ${say("run.left", { span: duration(of.left_s, units) })}`}
      </span>
      {of.note && (
        <span className="soft" translate="no">
          {of.note}
        </span>
      )}
    </span>
  );
}
