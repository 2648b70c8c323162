/// What people do with alerts: look after one, silence it in one press or for a time with a reason, say that it is over.
import { ActionIcon, Button, Menu, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import type { AlertOut, SilenceIn } from "../api/types.ts";
import { Icon } from "../look/Icon.tsx";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { CopyItems } from "./CopyItems.tsx";
import { tell } from "./Toasts.tsx";
import { useAct } from "./useAct.ts";

/** How long a silence lasts when nothing else is chosen: one press. */
export const USUAL = "2h" as const;
const TIMES = ["30m", "8h", "1d", "7d"] as const;
export const SILENCE_TIMES = ["30m", USUAL, "8h", "1d", "7d", "30d"] as const;
export type SilenceTime = (typeof SILENCE_TIMES)[number];

export function useAcknowledge(alert: AlertOut) {
  const say = useSay();
  return useAct(async () => {
    await call("ack_alert", { path: { number: alert.id }, body: {}, key: newKey() });
    tell(say("alerts.acked_done"));
  });
}

/** A silence that can be taken back from what tells of it. */
export async function silence(wish: SilenceIn, says: string, undo: string): Promise<void> {
  const made = await call("make_silence", { body: wish, key: newKey() });
  const act = async () => {
    await call("end_silence", { path: { number: made.id } });
  };
  tell(says, undefined, { label: undo, act });
}

/** Silence for two hours with one press; other times, and a reason, in the menu beside it. */
export function SilenceMenu({ alert }: { alert: AlertOut }) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const silencing = useAct(async (time: SilenceTime) => {
    const done = say("silence.done", { for: say(`lasts.${time}`) });
    await silence({ alert: alert.id, for: time, reason: say("silence.pressed") }, done, say("do.undo"));
  });
  return (
    <>
      <Button.Group>
        <Button
          size="compact-xs"
          variant="default"
          loading={silencing.isPending}
          onClick={() => silencing.mutate(USUAL)}
        >
          {say("silence.press")}
        </Button>
        <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
          <Menu.Target>
            <ActionIcon
              size={22}
              w={24}
              variant="default"
              aria-label={say("silence.other")}
              title={say("silence.other")}
            >
              <Icon name="down" size={14} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {TIMES.map((time) => (
              <Menu.Item key={time} onClick={() => silencing.mutate(time)}>
                {say(`lasts.${time}`)}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => setOpen(true)}>{say("silence.with_reason")}</Menu.Item>
            <CopyItems
              acts={[
                { verb: "alert ack", of: String(alert.id) },
                {
                  verb: "alert silence",
                  options: { alert: String(alert.id), for: USUAL, reason: say("silence.pressed") },
                },
              ]}
            />
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      {isOpen && <SilenceDialog alert={alert} close={() => setOpen(false)} />}
    </>
  );
}

/** For another time, with the reason that others read. */
function SilenceDialog({ alert, close }: { alert: AlertOut; close: () => void }) {
  const say = useSay();
  const [lasts, setLasts] = useState<SilenceTime>(USUAL);
  const wishOf = (reason: string) => ({
    alert: alert.id,
    for: lasts,
    reason: reason.trim() || say("silence.pressed"),
  });
  return (
    <Confirm
      title={say("silence.title")}
      says={say("silence.says")}
      action={say("silence.do")}
      act={(reason) => {
        const wish = wishOf(reason);
        return {
          verb: "alert silence",
          options: { alert: String(alert.id), for: lasts, reason: wish.reason },
          asked: asked("make_silence", { body: wish }),
          method: {
            name: "silences.make",
            given: [],
            options: { alert: alert.id, lasts, reason: wish.reason },
          },
        };
      }}
      close={close}
      change={async ({ reason }) => {
        const done = say("silence.done", { for: say(`lasts.${lasts}`) });
        await silence(wishOf(reason), done, say("do.undo"));
      }}
    >
      <LastsSelect value={lasts} set={setLasts} />
    </Confirm>
  );
}

export function LastsSelect({ value, set }: { value: SilenceTime; set: (value: SilenceTime) => void }) {
  const say = useSay();
  return (
    <NativeSelect
      label={say("silence.for")}
      value={value}
      onChange={(event) => set(event.currentTarget.value as SilenceTime)}
      data={SILENCE_TIMES.map((time) => ({ value: time, label: say(`lasts.${time}`) }))}
    />
  );
}

export function ResolveDialog({ alert, close }: { alert: AlertOut; close: () => void }) {
  const say = useSay();
  const path = { number: alert.id };
  return (
    <Confirm
      title={say("alerts.resolve_title")}
      says={say("alerts.resolve_says")}
      action={say("alerts.resolve")}
      act={(reason) => ({
        verb: "alert resolve",
        of: String(alert.id),
        options: { reason },
        asked: asked("resolve_alert", { path, body: { reason } }),
        method: { name: "alerts.resolve", given: [alert.id], options: { reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("resolve_alert", { path, body: { reason }, key });
        tell(say("alerts.resolved_done"));
      }}
    />
  );
}

/** Look after it, with a word for the others. */
export function AckDialog({ alert, close }: { alert: AlertOut; close: () => void }) {
  const say = useSay();
  const [note, setNote] = useState("");
  const path = { number: alert.id };
  return (
    <Confirm
      title={say("alerts.ack_title")}
      says={say("alerts.ack_says")}
      action={say("alerts.ack")}
      hasReason={false}
      act={() => ({
        verb: "alert ack",
        of: String(alert.id),
        options: { note },
        asked: asked("ack_alert", { path, body: { note } }),
        method: { name: "alerts.ack", given: [alert.id], options: { note } },
      })}
      close={close}
      change={async ({ key }) => {
        await call("ack_alert", { path, body: { note }, key });
        tell(say("alerts.acked_done"));
      }}
    >
      <TextInput
        label={say("alerts.note")}
        value={note}
        maxLength={500}
        onChange={(event) => setNote(event.currentTarget.value)}
        data-autofocus
      />
    </Confirm>
  );
}
