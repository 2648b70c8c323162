/// A dialog before a change: what happens, a reason, one button. It sends its change once.
import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { newKey } from "../api/call.ts";
import { useSay } from "../words/say.ts";
import { ProblemBox } from "./Problem.tsx";

export interface Intent {
  reason: string;
  key: string;
}

interface Props {
  title: string;
  says: string;
  action: string;
  isDanger?: boolean;
  change: (intent: Intent) => Promise<void>;
  close: () => void;
  children?: ReactNode;
}

export function Confirm({ title, says, action, isDanger = false, change, close, children }: Props) {
  const say = useSay();
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [key] = useState(newKey);
  const doing = useMutation({
    mutationFn: () => change({ reason, key }),
    onSuccess: () => {
      void client.invalidateQueries();
      close();
    },
  });
  return (
    <Modal
      opened
      onClose={close}
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
        <TextInput
          label={say("do.reason")}
          description={say("do.reason_hint")}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        {doing.error && <ProblemBox error={doing.error} />}
        <div className="row">
          <Button type="submit" loading={doing.isPending} {...(isDanger ? { color: "red.9" } : {})}>
            {action}
          </Button>
          <Button variant="default" onClick={close}>
            {say("do.close")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
