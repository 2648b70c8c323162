/// A banner while the cluster is in maintenance.
import type { ClusterOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Raw } from "./Raw.tsx";
import { At } from "./Times.tsx";

export function Maintenance({ cluster }: { cluster: ClusterOut }) {
  const say = useSay();
  const { maintenance } = cluster;
  if (!maintenance) return null;
  return (
    <div className="problem" role="status">
      <p>
        <strong>{say("maintenance.title")}</strong>
      </p>
      <p className="soft">
        {say("maintenance.since")} <At iso={maintenance.since} />
        {maintenance.until && (
          <>
            {" "}
            {say("maintenance.until")} <At iso={maintenance.until} />
          </>
        )}{" "}
        · <Raw>{[maintenance.by, maintenance.reason].filter(Boolean).join(" · ")}</Raw>
      </p>
      <p className="soft">{say("maintenance.after")}</p>
    </div>
  );
}
