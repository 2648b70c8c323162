/// Channels: where alerts are told, and how each did lately.
import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { channels } from "../api/alerts.ts";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import type { ChannelOut } from "../api/types.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At, FromNow } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { isWord, useSay } from "../words/say.ts";
import { ChannelDialog } from "./ChannelForm.tsx";
import { Lacking, TestDialog } from "./ChannelTest.tsx";

type Opened = { what: "new" } | { what: "edit" | "remove" | "test"; channel: ChannelOut } | null;

export function Channels() {
  const say = useSay();
  const rights = useRights();
  const query = useQuery(channels());
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      {rights.admin && (
        <div className="filters">
          <Button onClick={() => setOpened({ what: "new" })}>{say("channels.new")}</Button>
        </div>
      )}
      <Loaded query={query} rows={4}>
        {(found) =>
          found.items.length === 0 ? (
            <p className="empty">{say("channels.none")}</p>
          ) : (
            <ChannelTable channels={found.items} open={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === "new" && <ChannelDialog close={close} />}
      {opened?.what === "edit" && <ChannelDialog channel={opened.channel} close={close} />}
      {opened?.what === "test" && <TestDialog channel={opened.channel} close={close} />}
      {opened?.what === "remove" && <RemoveDialog channel={opened.channel} close={close} />}
    </>
  );
}

function ChannelTable({ channels: all, open }: { channels: ChannelOut[]; open: (opened: Opened) => void }) {
  const say = useSay();
  const rights = useRights();
  const acts = ["test", "edit", "remove"] as const;
  const words = { test: "channels.test", edit: "do.edit", remove: "limits.remove" } as const;
  return (
    <ListTable
      label={say("channels.list")}
      heads={[
        "channels.name",
        "channels.kind",
        "channels.from_level",
        "channels.language",
        "channels.lately",
      ]}
      hasActions
    >
      {all.map((channel) => (
        <tr key={`${channel.namespace}/${channel.name}`} className={channel.is_on ? undefined : "dim"}>
          <td className="first">
            <span className="row tightrow">
              <span className="name">
                <Raw>
                  {channel.namespace !== null && <span className="soft">{channel.namespace} / </span>}
                  {channel.name}
                </Raw>
              </span>
              {channel.is_default && <span className="tag tone-busy">{say("channels.is_default")}</span>}
              {!channel.is_on && <span className="tag tone-idle">{say("rules.off")}</span>}
            </span>
          </td>
          <td>
            <Kind name={channel.kind} />
          </td>
          <td data-label={say("channels.from_level")}>
            <State of={channel.level} family="level" />
          </td>
          <td>{say(channel.language === "zh" ? "channels.zh" : "channels.en")}</td>
          <td className="wrapped">
            <Lately channel={channel} />
          </td>
          <td className="tight">
            {rights.admin &&
              acts.map((act) => (
                <Button
                  key={act}
                  mr={4}
                  size="compact-xs"
                  variant="default"
                  aria-label={`${say(words[act])} ${channel.name}`}
                  onClick={() => open({ what: act, channel })}
                >
                  {say(words[act])}
                </Button>
              ))}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function Kind({ name }: { name: string }) {
  const say = useSay();
  const word = `chkind.${name}`;
  return isWord(word) ? say(word) : <Raw>{name}</Raw>;
}

function Lately({ channel }: { channel: ChannelOut }) {
  const say = useSay();
  const { lately, lacking } = channel;
  return (
    <>
      {lately.failing_since ? (
        <span className="tone-bad">
          ✖ {say("channels.failing", { count: lately.failures })} <FromNow iso={lately.failing_since} />{" "}
          <Raw>{lately.last_error}</Raw>
        </span>
      ) : (
        lately.last_sent_at && (
          <span className="tone-good">
            ✔ <At iso={lately.last_sent_at} />
          </span>
        )
      )}
      {!lately.failing_since && !lately.last_sent_at && (
        <span className="soft">{say("channels.never_sent")}</span>
      )}
      {lately.waiting > 0 && (
        <span className="soft"> {say("channels.waiting", { count: lately.waiting })}</span>
      )}
      <Lacking lacking={lacking} />
    </>
  );
}

function RemoveDialog({ channel, close }: { channel: ChannelOut; close: () => void }) {
  const say = useSay();
  const { name } = channel;
  const [isForced, setForced] = useState(false);
  const place = channel.namespace === null ? {} : { namespace: channel.namespace };
  const givenFor = (reason: string) => ({ path: { name }, query: { ...place, reason, force: isForced } });
  return (
    <Confirm
      title={say("limits.remove_title", { name })}
      says={say("channels.remove_says")}
      action={say("limits.remove")}
      isDanger
      act={(reason) => ({
        verb: "alert channel delete",
        of: name,
        namespace: channel.namespace ?? "default",
        options: { force: isForced || undefined, reason },
        asked: asked("delete_channel", givenFor(reason)),
        method: {
          name: "channels.delete",
          given: [name],
          options: { force: isForced || undefined, reason, ...place },
        },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("delete_channel", { ...givenFor(reason), key });
        tell(say("limits.removed", { name }));
      }}
    >
      <Checkbox
        label={say("channels.force")}
        checked={isForced}
        onChange={(event) => setForced(event.currentTarget.checked)}
      />
    </Confirm>
  );
}
