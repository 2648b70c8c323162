/// The checks of the cluster, family by family: what each found, the next step, and the repairs that are safe.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { doctor } from "../api/queries.ts";
import type { CheckupOut, FindingOut, FixOut } from "../api/types.ts";
import type { Act } from "../format/snippets.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { saveFile } from "../parts/saveFile.ts";
import { At } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

const FAMILIES = ["database", "system", "coordination", "business"] as const;

export function Health() {
  const query = useQuery(doctor());
  return (
    <Loaded query={query} rows={8}>
      {(found) => <Checkup found={found} isLooking={query.isFetching} look={() => void query.refetch()} />}
    </Loaded>
  );
}

const LOOK: Act = {
  verb: "cluster doctor",
  asked: asked("check_cluster"),
  method: { name: "cluster.doctor", given: [] },
};

interface CheckupProps {
  found: CheckupOut;
  isLooking: boolean;
  look: () => void;
}

function Checkup({ found, isLooking, look }: CheckupProps) {
  const say = useSay();
  const rights = useRights();
  const [isFixing, setFixing] = useState(false);
  const [fixed, setFixed] = useState<FixOut[]>([]);
  const isFixable = found.findings.some((finding) => finding.fix !== null);
  return (
    <>
      <div className="row gapbelow">
        <State of={found.level} family="grade" />
        <span className="soft small">
          <At iso={found.at} />
        </span>
        <Button size="compact-sm" variant="default" loading={isLooking} onClick={look}>
          {say("doctor.look")}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => saveFile("doctor.json", JSON.stringify(found, null, 2), "application/json")}
        >
          {say("doctor.save")}
        </Button>
        {rights.admin && isFixable && (
          <Button size="compact-sm" onClick={() => setFixing(true)}>
            {say("doctor.fix")}
          </Button>
        )}
      </div>
      {fixed.length > 0 && (
        <ul className="lines" role="status" aria-label={say("doctor.fixed")}>
          {fixed.map((one) => (
            <li key={one.fix}>
              <State of={one.is_done ? "OK" : "CRITICAL"} family="grade" />{" "}
              <span className="raw">{one.message}</span>
            </li>
          ))}
        </ul>
      )}
      {FAMILIES.map((family) => (
        <Family
          key={family}
          family={family}
          findings={found.findings.filter((one) => one.family === family)}
        />
      ))}
      <FoldedCopyAs act={LOOK} />
      {isFixing && (
        <Confirm
          title={say("doctor.fix_title")}
          says={say("doctor.fix_says")}
          action={say("doctor.fix")}
          act={(reason) => ({
            verb: "cluster doctor",
            options: { fix: true, yes: true, reason },
            asked: asked("fix_cluster", { body: { reason } }),
            method: { name: "cluster.fix", given: [], options: { reason } },
          })}
          close={() => setFixing(false)}
          change={async ({ reason, key }) => {
            const done = await call("fix_cluster", { body: { reason }, key });
            setFixed(done.fixes);
          }}
        />
      )}
    </>
  );
}

function Family({ family, findings }: { family: (typeof FAMILIES)[number]; findings: FindingOut[] }) {
  const say = useSay();
  if (findings.length === 0) return null;
  return (
    <section className="part" aria-labelledby={`family-${family}`}>
      <h2 id={`family-${family}`}>{say(`family.${family}`)}</h2>
      <ul className="lines checks">
        {findings.map((finding) => (
          <li key={finding.check}>
            <State of={finding.level} family="grade" />
            <b>{finding.title}</b>
            <span className="raw">{finding.message}</span>
            {finding.subject && (
              <span className="end soft">
                <Raw>{finding.subject}</Raw>
              </span>
            )}
            {finding.hint && <p className="raw">{finding.hint}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
