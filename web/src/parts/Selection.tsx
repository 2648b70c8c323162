/// Rows of a list are chosen by their boxes, which are seen where the pointer or the focus is. A bar says how many they are.
import { Button } from "@mantine/core";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { allToggled, type Chosen, stateOf, toggled } from "../format/selected.ts";
import { useSay } from "../words/say.ts";

export interface Selection {
  chosen: Chosen;
  /** The same from one drawing to the next: rows are not drawn anew for it. */
  toggle: (name: string) => void;
  choose: (chosen: Chosen) => void;
}

/** What is chosen stays while rows change; another filter begins anew. */
export function useSelection(filter: object): Selection {
  const [chosen, choose] = useState<Chosen>(new Set<string>());
  const toggle = useCallback((name: string) => choose((before) => toggled(before, name)), []);
  const of = JSON.stringify(filter);
  const [seen, setSeen] = useState(of);
  if (seen !== of) {
    setSeen(of);
    choose(new Set());
  }
  return { chosen, toggle, choose };
}

interface BoxProps {
  name: string;
  label: string;
  isChosen: boolean;
  toggle: (name: string) => void;
}

export function ChooseBox({ name, label, isChosen, toggle }: BoxProps) {
  const say = useSay();
  return (
    <input
      type="checkbox"
      className="choose"
      data-key="x"
      aria-label={say("rows.row", { name: label })}
      checked={isChosen}
      onChange={() => toggle(name)}
    />
  );
}

/** The box above the rows: all that are in sight. */
export function ChooseAll({ of, names }: { of: Selection; names: readonly string[] }) {
  const say = useSay();
  const state = stateOf(of.chosen, names);
  return (
    <input
      ref={(box) => {
        if (box) box.indeterminate = state === "some";
      }}
      type="checkbox"
      className="choose"
      aria-label={say("rows.all")}
      checked={state === "all"}
      onChange={() => of.choose(allToggled(of.chosen, names))}
    />
  );
}

interface BarProps {
  /** What is chosen, in words; empty: nothing is. */
  says: string;
  clear: () => void;
  children: ReactNode;
}

/** It floats below the rows, so that none of them moves. */
export function ChosenBar({ says, clear, children }: BarProps) {
  const say = useSay();
  const isThere = says !== "";
  useEffect(() => {
    if (!isThere) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && document.querySelector("[role=dialog], [role=menu]") === null) clear();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isThere, clear]);
  return (
    <>
      <span className="hidden" role="status">
        {says}
      </span>
      {isThere && (
        <div className="chosenbar row" role="group" aria-label={say("rows.bar")}>
          <b>{says}</b>
          {children}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
            {say("rows.none")}
          </Button>
        </div>
      )}
    </>
  );
}
