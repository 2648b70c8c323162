/// What can be done with a check, and the dialog of each.
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import type { CheckOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { useRights } from "./rights.ts";
import { tell } from "./Toasts.tsx";

const CheckDialog = lazyPart(async () => (await import("../pages/CheckForm.tsx")).CheckDialog);

export type CheckAct =
  | { what: "new" }
  | { what: "edit" | "pause" | "resume" | "remove"; check: CheckOut }
  | null;

export function CheckActs({ check, act }: { check: CheckOut; act: (act: CheckAct) => void }) {
  const say = useSay();
  const rights = useRights();
  if (!rights.write) return null;
  const acts = [
    check.is_paused ? (["resume", "do.resume"] as const) : (["pause", "do.pause"] as const),
    ["edit", "do.edit"] as const,
    ["remove", "limits.remove"] as const,
  ];
  return acts.map(([what, word]) => (
    <Button
      key={what}
      mr={4}
      size="compact-xs"
      variant="default"
      aria-label={`${say(word)} ${check.name}`}
      onClick={() => act({ what, check })}
    >
      {say(word)}
    </Button>
  ));
}

export function CheckDialogs({ act, close }: { act: CheckAct; close: () => void }) {
  if (act === null) return null;
  if (act.what === "new" || act.what === "edit") {
    return <CheckDialog check={act.what === "edit" ? act.check : undefined} close={close} />;
  }
  if (act.what === "remove") return <RemoveDialog check={act.check} close={close} />;
  return <PauseDialog check={act.check} close={close} />;
}

interface Props {
  check: CheckOut;
  close: () => void;
}

function PauseDialog({ check, close }: Props) {
  const say = useSay();
  const { name, namespace } = check;
  const verb = check.is_paused ? "resume" : "pause";
  return (
    <Confirm
      title={say(`checks.${verb}_title`, { name })}
      says={say(`checks.${verb}_says`)}
      action={say(`do.${verb}`)}
      act={(reason) => ({
        verb: `check ${verb}`,
        of: name,
        namespace,
        options: { reason },
        asked: asked(`${verb}_check`, { path: { name }, query: { namespace }, body: { reason } }),
        method: { name: `checks.${verb}`, given: [name], options: { reason, namespace } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call(`${verb}_check`, { path: { name }, query: { namespace }, body: { reason }, key });
        tell(say(`checks.${verb}d`, { name }));
      }}
    />
  );
}

function RemoveDialog({ check, close }: Props) {
  const say = useSay();
  const navigate = useNavigate();
  const { name, namespace } = check;
  return (
    <Confirm
      title={say("checks.remove_title", { name })}
      says={say("checks.remove_says")}
      action={say("limits.remove")}
      isDanger
      act={(reason) => ({
        verb: "check delete",
        of: name,
        namespace,
        options: { reason },
        asked: asked("delete_check", { path: { name }, query: { namespace, reason } }),
        method: { name: "checks.delete", given: [name], options: { reason, namespace } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("delete_check", { path: { name }, query: { namespace, reason }, key });
        tell(say("checks.removed", { name }));
        void navigate({ to: "/checks", search: {}, replace: true }); // what was open of it is gone
      }}
    />
  );
}
