/// `Ctrl-K`: jump to a job, a run, a node, a page or a filter, or do something with what is found; what was opened
/// last and favourites stand first.
import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { search } from "../api/queries.ts";
import type { HitOut } from "../api/types.ts";
import { askedOf, type Deed, verbsOf } from "../format/deeds.ts";
import { checkPath, jobPath, nodePath, runPath } from "../format/paths.ts";
import { useFavourites } from "../parts/favourites.ts";
import { useFocusBack } from "../parts/focus.ts";
import { useRights } from "../parts/rights.ts";
import { useSay } from "../words/say.ts";
import { MAIN, useMorePlaces } from "./places.ts";
import { recentPlaces } from "./recent.ts";

interface Target {
  kind: "job" | "run" | "node" | "check" | "page" | "star" | "recent" | "act";
  name: string;
  detail: string;
  to: string;
  namespace?: string;
  /** It opens a dialog, and leads nowhere. */
  deed?: Deed;
}

/** Filters and forms that people ask for by name. */
const ACTS = [
  { word: "find.failed_runs", to: "/runs?state=FAILED" },
  { word: "find.failing", to: "/jobs?failing=true" },
  { word: "find.new_job", to: "/jobs/new" },
  { word: "alerts.tab_rules", to: "/alerts?tab=rules" },
  { word: "alerts.tab_channels", to: "/alerts?tab=channels" },
  { word: "alerts.tab_silences", to: "/alerts?tab=silences" },
  { word: "checks.find_down", to: "/checks?state=down,late" },
  { word: "reports.schedules", to: "/reports?tab=schedules" },
] as const;

/** The console's own words; others are names of users. */
function isOurs(target: Target): boolean {
  return (target.kind === "page" || target.kind === "act") && target.deed === undefined;
}

interface Props {
  close: () => void;
  act: (deed: Deed) => void;
}

export function Search({ close, act }: Props) {
  useFocusBack();
  const say = useSay();
  const router = useRouter();
  const rights = useRights();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const verbs = { trigger: say("do.trigger"), pause: say("do.pause"), drain: say("nodes.drain") };
  const { verb, rest } = askedOf(text, verbs);
  const wanted = useDeferredValue(rest);
  const found = useQuery(search(wanted));
  const pages: Target[] = [...MAIN, ...useMorePlaces()].map(({ word, to }) => ({
    kind: "page" as const,
    name: say(word),
    detail: "",
    to,
  }));
  const { jobs: favourites = [] } = useFavourites();
  const stars: Target[] = favourites.map((job) => ({
    kind: "star",
    name: job.name,
    detail: "",
    to: jobPath(job),
    namespace: job.namespace,
  }));
  const recent: Target[] = recentPlaces()
    .filter((place) => !stars.some((star) => star.to === place.to))
    .map(({ name, to, namespace }) => ({
      kind: "recent",
      name,
      detail: "",
      to,
      ...(namespace !== undefined && { namespace }),
    }));
  const acts: Target[] = ACTS.filter((one) => one.to !== "/jobs/new" || rights.write).map(({ word, to }) => ({
    kind: "act",
    name: say(word),
    detail: "",
    to,
  }));
  const hits = wanted === "" ? [] : once((found.data?.items ?? []).map(target));
  const known = [...recent, ...stars, ...pages, ...acts];
  const matching = known.filter((one) => one.name.toLowerCase().includes(wanted.toLowerCase()));
  const places = [...hits, ...matching.filter((one) => !hits.some((hit) => hit.to === one.to))];
  const deeds = places.flatMap((place) =>
    verbsOf(place.kind === "node" || place.namespace === undefined ? place.kind : "job", rights).map(
      (one): Target => ({
        kind: "act",
        name: say(`find.do_${one}`, { name: place.name }),
        detail: place.namespace === undefined || place.namespace === "default" ? "" : place.namespace,
        to: `${one} ${place.to}`,
        deed: { verb: one, name: place.name, namespace: place.namespace ?? "" },
      }),
    ),
  );
  // Who writes a verb means it. Else what can be done with the best that was found stands behind all that was found.
  const best = hits.length > 0 ? deeds.filter((one) => one.to.endsWith(` ${hits[0]?.to}`)) : [];
  const asked = deeds.filter((one) => one.deed?.verb === verb);
  const targets = verb === null ? [...hits, ...best, ...places.slice(hits.length)] : [...asked, ...places];
  const chosen = Math.min(at, targets.length - 1);

  const open = (one: Target | undefined) => {
    if (!one) return;
    close();
    if (one.deed) {
      act(one.deed);
      return;
    }
    router.history.push(one.to); // an act may bring its filter with it
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, targets.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
    else if (event.key === "Enter") open(targets[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={say("head.search")}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      size="lg"
    >
      <TextInput
        data-autofocus
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={targets.length > 0 ? `${listId}-${chosen}` : undefined}
        aria-label={say("find.label")}
        placeholder={say("find.hint")}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
      />
      {targets.length === 0 && <p className="soft">{say("find.none")}</p>}
      <div className="hits" id={listId} role="listbox" aria-label={say("find.results")}>
        {targets.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field above has the keys
          <div
            key={`${one.kind} ${one.to}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(one)}
          >
            <span className="what">{say(`find.${one.kind}`)}</span>
            <span translate={isOurs(one) ? undefined : "no"}>{one.name}</span>
            <span className="soft small grow" translate="no">
              {one.detail}
            </span>
          </div>
        ))}
      </div>
    </Modal>
  );
}

function target(hit: HitOut): Target {
  const { kind, name, detail } = hit;
  if (kind === "run") return { kind, name, detail, to: runPath(name) };
  if (kind === "node") return { kind, name, detail, to: nodePath(name) };
  const place = { namespace: hit.namespace ?? "default", name };
  if (kind === "check") return { kind, name, detail, to: checkPath(place) };
  return { kind: "job", name, detail, to: jobPath(place), namespace: place.namespace };
}

/** Sessions of one node have one name, and one address. */
function once(targets: Target[]): Target[] {
  return [...new Map(targets.map((one) => [`${one.kind} ${one.to}`, one])).values()];
}
