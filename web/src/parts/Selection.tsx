/// Rows of a list are chosen by their boxes, which are seen where the pointer or the focus is. A bar says how many they are.
import { Button } from "@mantine/core";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { allToggled, type Chosen, stateOf, toggled } from "../format/selected.ts";
import { useSay } from "../words/say.ts";
import { focusRows } from "./focus.ts";

export interface Selection {
  chosen: Chosen;
  /** Instead of the rows: all that the filter lets through. Whatever else is chosen takes it back. */
  isAll: boolean;
  chooseAll: () => void;
  /** The same from one drawing to the next: rows are not drawn anew for it. */
  toggle: (name: string) => void;
  choose: (chosen: Chosen) => void;
}

const NOTHING = { chosen: new Set<string>() as Chosen, isAll: false };

/** What is chosen stays while rows change; another filter begins anew. */
export function useSelection(filter: object): Selection {
  const [{ chosen, isAll }, set] = useState(NOTHING);
  const choose = useCallback((next: Chosen) => set({ chosen: next, isAll: false }), []);
  const toggle = useCallback(
    (name: string) => set((before) => ({ chosen: toggled(before.chosen, name), isAll: false })),
    [],
  );
  const chooseAll = useCallback(() => set((before) => ({ ...before, isAll: true })), []);
  const of = JSON.stringify(filter);
  const [seen, setSeen] = useState(of);
  if (seen !== of) {
    setSeen(of);
    set(NOTHING);
  }
  return { chosen, isAll, chooseAll, toggle, choose };
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

/** Where Escape means something else than to choose none. */
const OTHERS_ESCAPE = "[role=dialog], [role=menu], input:not(.choose), select, textarea";

function isOthers({ target }: KeyboardEvent): boolean {
  const isWithin = target instanceof Element && target.closest(OTHERS_ESCAPE) !== null; // also when it is gone by now
  return isWithin || document.querySelector("[role=dialog], [role=menu]") !== null;
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
      if (event.key === "Escape" && !isOthers(event)) leave(clear);
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
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => leave(clear)}>
            {say("rows.none")}
          </Button>
        </div>
      )}
    </>
  );
}

/** The bar goes: keys go on at the rows. */
function leave(clear: () => void): void {
  if (document.activeElement?.closest(".chosenbar")) focusRows();
  clear();
}
