/// Which namespace something new belongs to: those there are are offered, another one may be written.
import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { overview } from "../api/queries.ts";
import { useSay } from "../words/say.ts";
import { useZone } from "./settings.ts";

export function NamespaceField({ value, set }: { value: string; set: (wanted: string) => void }) {
  const say = useSay();
  const listId = useId();
  const { data } = useQuery(overview(useZone()));
  return (
    <>
      <TextInput
        label={say("head.namespace")}
        required
        value={value}
        list={listId}
        spellCheck={false}
        translate="no"
        onChange={(event) => set(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {data?.namespaces.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
