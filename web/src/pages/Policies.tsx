/// What is done about each type of failure, and when a failure needs a person.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { policies } from "../api/queries.ts";
import type { ClusterTimesOut, PolicyOut, ServersOut } from "../api/types.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { useDraft } from "../parts/draft.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { Took } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";
import { Action } from "./Failovers.tsx";

const LEVELS = ["low", "medium", "high", "critical"] as const;

export function Policies() {
  const query = useQuery(policies());
  const [edited, setEdited] = useState<PolicyOut | null>(null);
  return (
    <>
      <Loaded query={query} rows={9}>
        {(found) => (
          <>
            <PolicyTable policies={found.items} edit={setEdited} />
            <ClusterTimes times={found.times} servers={found.servers} />
          </>
        )}
      </Loaded>
      {edited && <PolicyDialog policy={edited} close={() => setEdited(null)} />}
    </>
  );
}

function PolicyTable({ policies: all, edit }: { policies: PolicyOut[]; edit: (policy: PolicyOut) => void }) {
  const say = useSay();
  const rights = useRights();
  return (
    <ListTable
      label={say("policy.list")}
      heads={[
        "fail.type",
        "fail.detection",
        "fail.action",
        { word: "policy.after", isRight: true },
        { word: "policy.attempts", isRight: true },
        "policy.level",
        "policy.channel",
      ]}
      hasActions
    >
      {all.map((policy) => (
        <tr key={policy.type}>
          <td className="first name">{say(`failure.${policy.type}`)}</td>
          <td className="soft">{policy.detection}</td>
          <td>
            <Action action={policy.action} />
          </td>
          <td className="right" data-label={say("policy.after")}>
            <Took seconds={policy.timeout_s} />
          </td>
          <td className="right" data-label={say("policy.attempts")}>
            {policy.attempts ?? "–"}
          </td>
          <td data-label={say("policy.level")}>{say(`level.${policy.level}`)}</td>
          <td data-label={say("policy.channel")}>{policy.channel ? <Raw>{policy.channel}</Raw> : "–"}</td>
          <td className="tight">
            {rights.admin && policy.settings.length > 0 && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${say("do.edit")} ${say(`failure.${policy.type}`)}`}
                onClick={() => edit(policy)}
              >
                {say("do.edit")}
              </Button>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function ClusterTimes({ times, servers }: { times: ClusterTimesOut; servers: ServersOut }) {
  const say = useSay();
  const spans = [
    [say("times.beat"), times.heartbeat_interval_s],
    [say("times.failover"), times.failover_timeout_s],
    [say("times.promotion"), times.promotion_timeout_s],
    [say("times.leader"), times.leader_ttl_s],
    [say("times.lock"), times.lock_timeout_s],
  ] as const;
  return (
    <section className="part gap" aria-labelledby="times">
      <h2 id="times">{say("times.title")}</h2>
      <dl className="figures">
        {spans.map(([name, seconds]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Took seconds={seconds} />
            </dd>
          </div>
        ))}
        <div>
          <dt>{say("times.threshold")}</dt>
          <dd>{times.failure_threshold}</dd>
        </div>
        <div>
          <dt>{say("times.active")}</dt>
          <dd>
            {servers.active} / {servers.active_min}
          </dd>
        </div>
        <div>
          <dt>{say("times.standbys")}</dt>
          <dd>
            {servers.standbys} / {servers.standby_count}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function PolicyDialog({ policy, close }: { policy: PolicyOut; close: () => void }) {
  const say = useSay();
  const place = `policy ${policy.type} v${policy.version}`;
  const [{ timeout, attempts, level, channel }, keep, forget] = useDraft(place, {
    timeout: `${policy.timeout_s}s`,
    attempts: policy.attempts === null ? "" : String(policy.attempts),
    level: policy.level as string,
    channel: policy.channel ?? "",
  });
  const can = new Set(policy.settings);
  const path = { type: policy.type };
  const bodyOf = (reason: string) => ({
    reason,
    version: policy.version,
    level,
    channel: channel === "" ? "-" : channel,
    ...(can.has("timeout") && { timeout }),
    ...(can.has("attempts") && attempts !== "" && { attempts: Number(attempts) }),
  });
  const name = say(`failure.${policy.type}`);
  return (
    <Confirm
      title={say("policy.title", { type: name })}
      says={say("policy.says")}
      action={say("do.save")}
      act={(reason) => ({
        verb: "cluster policy",
        of: policy.type,
        options: {
          "escalate-after": can.has("timeout") ? timeout : undefined,
          attempts: can.has("attempts") ? attempts : undefined,
          level,
          channel: channel === "" ? "-" : channel,
          reason,
        },
        asked: asked("set_policy", { path, body: bodyOf(reason) }),
        method: { name: "cluster.set_policy", given: [policy.type], options: bodyOf(reason) },
      })}
      close={() => {
        forget();
        close();
      }}
      change={async ({ reason, key }) => {
        await call("set_policy", { path, body: bodyOf(reason), key });
        tell(say("policy.done", { type: name }));
      }}
    >
      {can.has("timeout") && (
        <TextInput
          label={say("policy.after")}
          value={timeout}
          onChange={(event) => keep({ timeout: event.currentTarget.value })}
        />
      )}
      {can.has("attempts") && (
        <TextInput
          type="number"
          min={1}
          label={say("policy.attempts")}
          value={attempts}
          onChange={(event) => keep({ attempts: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        label={say("policy.level")}
        value={level}
        onChange={(event) => keep({ level: event.currentTarget.value })}
        data={LEVELS.map((one) => ({ value: one, label: say(`level.${one}`) }))}
      />
      <TextInput
        label={say("policy.channel")}
        value={channel}
        onChange={(event) => keep({ channel: event.currentTarget.value })}
      />
    </Confirm>
  );
}
