/// Channels by name, to choose from.
import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { channels } from "../api/alerts.ts";
import { useSay } from "../words/say.ts";

interface Props {
  chosen: string[];
  choose: (to: string[]) => void;
  /** What it means that none is chosen; empty: one must be. */
  none: string;
}

export function ToChannels({ chosen, choose, none }: Props) {
  const say = useSay();
  const { data } = useQuery(channels());
  const names = [...new Set([...(data?.items ?? []).map((one) => one.name), ...chosen])];
  if (names.length === 0) return <p className="soft small">{say("channels.none")}</p>;
  return (
    <fieldset className="row plainset">
      <legend>{say("rules.to")}</legend>
      {names.map((name) => (
        <Checkbox
          key={name}
          label={<span translate="no">{name}</span>}
          checked={chosen.includes(name)}
          onChange={(event) =>
            choose(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
          }
        />
      ))}
      {chosen.length === 0 && none !== "" && <span className="soft small">{none}</span>}
    </fieldset>
  );
}
