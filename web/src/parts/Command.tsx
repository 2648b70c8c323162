/// Something to copy: a command or a piece of code.
import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import { Icon } from "../look/Icon.tsx";
import { useSay } from "../words/say.ts";
import { copyText } from "./clipboard.ts";
import { tell } from "./Toasts.tsx";

export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <pre translate="no">{text}</pre>
      <Copy text={text} />
    </div>
  );
}

export function Copy({ text }: { text: string }) {
  const say = useSay();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) {
      tell(say("do.copy_failed"));
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const label = say(isCopied ? "do.copied" : "do.copy");
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} size={16} />
    </ActionIcon>
  );
}
