/// `Ctrl-K`: jump to a job, a run, a node or a page.
import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { search } from "../api/queries.ts";
import type { HitOut } from "../api/types.ts";
import { useFocusBack } from "../parts/focus.ts";
import { useSay } from "../words/say.ts";
import { MAIN, useMorePlaces } from "./places.ts";

interface Target {
  kind: "job" | "run" | "node" | "page";
  name: string;
  detail: string;
  to: string;
}

export function Search({ close }: { close: () => void }) {
  useFocusBack();
  const say = useSay();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const wanted = useDeferredValue(text.trim());
  const found = useQuery(search(wanted));
  const places = [...MAIN, ...useMorePlaces()];
  const pages: Target[] = places.map(({ word, to }) => ({
    kind: "page" as const,
    name: say(word),
    detail: "",
    to,
  }));
  const hits = wanted === "" ? [] : (found.data?.items ?? []).map(target);
  const matching = pages.filter((page) => page.name.toLowerCase().includes(wanted.toLowerCase()));
  const targets = [...hits, ...matching];
  const chosen = Math.min(at, targets.length - 1);

  const open = (one: Target | undefined) => {
    if (!one) return;
    close();
    void navigate({ to: one.to });
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
            <span translate={one.kind === "page" ? undefined : "no"}>{one.name}</span>
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
  if (kind === "run") return { kind, name, detail, to: `/runs/${encodeURIComponent(name)}` };
  if (kind === "node") return { kind, name, detail, to: "/nodes" };
  const place = `${encodeURIComponent(hit.namespace ?? "default")}/${encodeURIComponent(name)}`;
  return { kind: "job", name, detail, to: `/jobs/${place}` };
}
