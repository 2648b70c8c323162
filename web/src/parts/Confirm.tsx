/// A dialog before a change: what happens, a reason, one button. It sends its change once. The reason stays when the session ends.
import { Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { newKey } from "../api/call.ts";
import type { Act } from "../format/snippets.ts";
import { useSay } from "../words/say.ts";
import { FoldedCopyAs } from "./CopyAs.tsx";
import { useDraft } from "./draft.ts";
import { FormFoot } from "./FormFoot.tsx";
import { useFocusBack } from "./focus.ts";

export interface Intent {
  reason: string;
  key: string;
}

interface Props {
  title: string;
  says: string;
  action: string;
  isDanger?: boolean;
  /** What cannot be undone is confirmed by writing its name. */
  name?: string;
  /** False: the change takes no reason. */
  hasReason?: boolean;
  /** False from the change: something was refused, and the dialog stays to show it. */
  change: (intent: Intent) => Promise<unknown>;
  /** The same as a command, as curl and as Python, to copy. */
  act?: (reason: string) => Act;
  /** True: there is nothing that could be done. */
  isOff?: boolean;
  close: () => void;
  children?: ReactNode;
}

export function Confirm(props: Props) {
  const {
    title,
    says,
    action,
    isDanger = false,
    name,
    hasReason = true,
    isOff = false,
    act,
    change,
    close,
    children,
  } = props;
  useFocusBack();
  const say = useSay();
  const client = useQueryClient();
  const [{ reason }, keep, forget] = useDraft(`confirm ${title}`, { reason: "" });
  const [written, setWritten] = useState("");
  const [key, setKey] = useState(newKey);
  const leave = () => {
    forget();
    close();
  };
  const doing = useMutation({
    mutationFn: () => change({ reason, key }),
    onSuccess: (isWhole) => {
      void client.invalidateQueries();
      if (isWhole !== false) leave();
      else setKey(newKey()); // it was done: a further press is a further intent
    },
  });
  return (
    <Modal
      opened
      onClose={leave}
      title={title}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      centered
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!doing.isPending) doing.mutate();
        }}
      >
        <p>{says}</p>
        {children}
        {hasReason && (
          <TextInput
            label={say("do.reason")}
            description={say("do.reason_hint")}
            value={reason}
            maxLength={500}
            onChange={(event) => keep({ reason: event.currentTarget.value })}
            data-autofocus
          />
        )}
        {name !== undefined && (
          <TextInput
            label={say("do.write_name", { name })}
            value={written}
            onChange={(event) => setWritten(event.currentTarget.value)}
          />
        )}
        {act && <FoldedCopyAs act={act(reason)} />}
        <FormFoot
          action={action}
          isPending={doing.isPending}
          error={doing.error}
          isDanger={isDanger}
          isDisabled={isOff || (name !== undefined && written !== name)}
          close={leave}
        />
      </form>
    </Modal>
  );
}
