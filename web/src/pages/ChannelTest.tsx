/// A test of a channel: one message, what became of it, and which servers could not send it.
import { Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import type { ChannelOut, ChannelTestOut } from "../api/types.ts";
import { FormFoot } from "../parts/FormFoot.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { Raw } from "../parts/Raw.tsx";
import { State } from "../parts/State.tsx";
import { useSay } from "../words/say.ts";

export function TestDialog({ channel, close }: { channel: ChannelOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  const client = useQueryClient();
  const query = channel.namespace === null ? {} : { namespace: channel.namespace };
  const trying = useMutation({
    mutationFn: () => call("try_channel", { path: { name: channel.name }, query }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["alerts"] }),
  });
  return (
    <Modal
      opened
      onClose={close}
      title={say("channels.test_title", { name: channel.name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      centered
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!trying.isPending) trying.mutate();
        }}
      >
        <p>{say("channels.test_says")}</p>
        {trying.data && <Tested result={trying.data} />}
        <FormFoot
          action={say("channels.test")}
          isPending={trying.isPending}
          error={trying.error}
          close={close}
        />
      </form>
    </Modal>
  );
}

/** What became of the test message, and which servers could not send one. */
export function Tested({ result }: { result: ChannelTestOut }) {
  const say = useSay();
  const { delivery } = result;
  return (
    <div className={result.is_sent ? "why" : "problem"} role="status">
      <p>
        <strong className={result.is_sent ? "tone-good" : "tone-bad"}>
          {result.is_sent ? "✔" : "✖"} {say(result.is_sent ? "channels.arrived" : "channels.not_arrived")}
        </strong>{" "}
        {delivery.sent_by && <Raw>{delivery.sent_by}</Raw>}
      </p>
      {!result.is_sent && <State of={delivery.state} family="delivery" />}
      {delivery.error && (
        <p>
          <Raw>{delivery.error}</Raw>
        </p>
      )}
      <Lacking lacking={result.lacking} />
    </div>
  );
}

/** Which server does not have which secret: only the server that leads sends, and any may lead. */
export function Lacking({ lacking }: { lacking: Record<string, string[]> }) {
  const say = useSay();
  return Object.entries(lacking).map(([server, names]) => (
    <div key={server} className="tone-wait small raw">
      ▲ {say("channels.lacks", { server, names: names.join(", ") })}
    </div>
  ));
}
