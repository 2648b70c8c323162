/// What can be done with the cluster as a whole and with the role of a server: each is a dialog that says what happens.
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import type { ClusterOut, NodeOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { tell } from "./Toasts.tsx";

interface Closable {
  close: () => void;
}

/** Maintenance begins, for a time or until somebody ends it; or it ends. */
export function MaintenanceDialog({ cluster, close }: Closable & { cluster: ClusterOut }) {
  const say = useSay();
  const [lasts, setLasts] = useState("");
  const isOn = cluster.maintenance !== null;
  const bodyOf = (reason: string) => ({ on: !isOn, reason, ...(lasts !== "" && { lasts }) });
  const method = isOn ? "cluster.end_maintenance" : "cluster.begin_maintenance";
  return (
    <Confirm
      title={say(isOn ? "maintenance.end_title" : "maintenance.begin_title")}
      says={say(isOn ? "maintenance.end_says" : "maintenance.begin_says", { count: cluster.running })}
      action={say(isOn ? "maintenance.end" : "maintenance.begin")}
      isDanger={!isOn}
      act={(reason) => ({
        verb: `cluster maintenance ${isOn ? "off" : "on"}`,
        options: { for: lasts, reason },
        asked: asked("set_maintenance", { body: bodyOf(reason) }),
        method: { name: method, given: [], options: { lasts, reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("set_maintenance", { body: bodyOf(reason), key });
        tell(say(isOn ? "maintenance.ended" : "maintenance.begun"));
      }}
    >
      {!isOn && (
        <TextInput
          label={say("maintenance.lasts")}
          description={say("maintenance.lasts_hint", { example: "30m, 2h" })}
          value={lasts}
          onChange={(event) => setLasts(event.currentTarget.value)}
        />
      )}
    </Confirm>
  );
}

const ROLES = {
  promote: {
    title: "nodes.promote_title",
    says: "nodes.promote_says",
    action: "nodes.promote",
    done: "nodes.promoted",
  },
  demote: {
    title: "nodes.demote_title",
    says: "nodes.demote_says",
    action: "nodes.demote",
    done: "nodes.demoted",
  },
} as const;

/** A standby becomes active, or an active server a standby. */
export function RoleDialog({ node, close }: Closable & { node: NodeOut }) {
  const say = useSay();
  const { name } = node;
  const verb = node.role === "STANDBY" ? "promote" : "demote";
  const words = ROLES[verb];
  const given = (reason: string) => ({ path: { name: node.id }, body: { reason } });
  return (
    <Confirm
      title={say(words.title, { name })}
      says={say(words.says)}
      action={say(words.action)}
      act={(reason) => ({
        verb: `node ${verb}`,
        of: name,
        options: { reason },
        asked: asked(`${verb}_node`, given(reason)),
        method: { name: `nodes.${verb}`, given: [name], options: { reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call(`${verb}_node`, { ...given(reason), key });
        tell(say(words.done, { name }));
      }}
    />
  );
}
