/// What a dialog does as a command, as curl and as Python, to copy.
import { Tabs } from "@mantine/core";
import { type Act, asAct, asCurl, asPython } from "../format/snippets.ts";
import { useSay } from "../words/say.ts";
import { Command } from "./Command.tsx";
import { Fold } from "./Fold.tsx";

export function CopyAs({ act }: { act: Act }) {
  const say = useSay();
  const server = window.location.origin;
  const forms = [
    { of: "cli", name: say("trigger.cli"), text: asAct(act) },
    { of: "curl", name: <span translate="no">curl</span>, text: act.asked && asCurl(act.asked, server) },
    {
      of: "python",
      name: <span translate="no">Python</span>,
      text: act.method && asPython(act.method, server),
    },
  ].flatMap(({ text, ...form }) => (text === undefined ? [] : [{ ...form, text }]));
  const [first, ...others] = forms;
  if (first === undefined) return null;
  if (others.length === 0) return <Command text={first.text} />;
  return (
    <Tabs defaultValue={first.of} keepMounted={false}>
      <Tabs.List aria-label={say("trigger.copy")}>
        {forms.map(({ of, name }) => (
          <Tabs.Tab key={of} value={of}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {forms.map(({ of, text }) => (
        <Tabs.Panel key={of} value={of}>
          <Command text={text} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The same where a form has much else to show: it is there once somebody unfolds it. */
export function FoldedCopyAs({ act }: { act: Act }) {
  const say = useSay();
  const says = say(act.verb === undefined ? "do.as_request" : "do.as_command");
  return <Fold says={says}>{() => <CopyAs act={act} />}</Fold>;
}
