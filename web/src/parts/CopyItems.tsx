/// Items of a menu that copy a command of the command line about what is on the page.
import { Menu } from "@mantine/core";
import { type Act, asAct } from "../format/snippets.ts";
import { useSay } from "../words/say.ts";
import { copyText } from "./clipboard.ts";
import { tell } from "./Toasts.tsx";

export function CopyItems({ acts }: { acts: readonly Act[] }) {
  const say = useSay();
  const copy = async (text: string) => tell(say((await copyText(text)) ? "do.copied" : "do.copy_failed"));
  const commands = acts.flatMap((act) => asAct(act) ?? []);
  return (
    <>
      <Menu.Label>{say("do.copy_command")}</Menu.Label>
      {commands.map((text) => (
        <Menu.Item key={text} className="mono" translate="no" onClick={() => void copy(text)}>
          {text}
        </Menu.Item>
      ))}
    </>
  );
}
