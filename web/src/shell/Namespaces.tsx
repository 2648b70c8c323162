/// The switch of namespaces: which one all lists are of. A cluster with one namespace has none.
import { NativeSelect } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { overview } from "../api/queries.ts";
import { chooseNamespace, useNamespace, useZone } from "../parts/settings.ts";
import { useSay } from "../words/say.ts";

export function Namespaces() {
  const say = useSay();
  const client = useQueryClient();
  const navigate = useNavigate();
  const chosen = useNamespace();
  const { in: asked = "" } = useSearch({ strict: false });
  const { data } = useQuery(overview(useZone()));
  const names = data?.namespaces ?? [];

  const write = (wanted: string) =>
    void navigate({
      to: ".",
      search: (now: Record<string, unknown>) => ({ ...now, in: wanted || undefined }),
      replace: true,
    });
  const choose = (wanted: string) => {
    chooseNamespace(wanted);
    write(wanted);
    void client.resetQueries(); // nothing of another namespace stays on the screen
  };

  // A link within the console does not name the namespace: the address gets it. One that was sent does: it is taken.
  // A choice comes before its address, so the choice alone is no reason to look.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address is a reason to look
  useEffect(() => {
    if (asked === chosen) return;
    if (asked === "") write(chosen);
    else choose(asked);
  }, [asked]);

  if (names.length < 2 && chosen === "") return null;
  const known = chosen === "" || names.includes(chosen) ? names : [...names, chosen];
  return (
    <NativeSelect
      className="zone namespaces"
      size="xs"
      variant="unstyled"
      translate="no"
      aria-label={say("head.namespace")}
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[{ value: "", label: say("head.every_namespace") }, ...known]}
    />
  );
}
