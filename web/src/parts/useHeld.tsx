/// Lists that do not jump: while the pointer or, by keys, the focus is in one, its rows stay where they are and new ones wait.
import { type FocusEvent, useCallback, useReducer, useRef } from "react";
import { freshly, type Held, heldBack, isSame, type Row } from "../format/held.ts";
import { useSay } from "../words/say.ts";

export interface HeldList<T> {
  rows: readonly Row<T>[];
  /** For the element around the rows. */
  around: {
    ref: (element: HTMLElement | null) => void;
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: (event: FocusEvent<HTMLElement>) => void;
    onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
  /** How many wait, and what shows them: for the pill. */
  waiting: number;
  show: () => void;
}

/** `of`: what the list is of, such as its filter. With another one it begins anew. */
export function useHeld<T>(items: readonly T[], keyOf: (item: T) => string, of = ""): HeldList<T> {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const inside = useRef({ pointer: false, focus: false });
  const element = useRef<HTMLElement | null>(null);
  const ref = useCallback((found: HTMLElement | null) => {
    element.current = found;
  }, []);
  const known = useRef<{ of: string; items: readonly T[]; held: Held<T> } | null>(null);
  const before = known.current;
  if (before === null || before.of !== of) {
    known.current = { of, items, held: freshly(items) };
  } else if (!isSame(before.items, items)) {
    // Of a row that was taken away with the focus on it nobody hears that it lost it: the document itself is asked.
    const isOver = inside.current.pointer && element.current?.matches(":hover") === true;
    const isFocused = inside.current.focus && element.current?.contains(document.activeElement) === true;
    const isInside = isOver || isFocused;
    known.current = { of, items, held: isInside ? heldBack(before.held, items, keyOf) : freshly(items) };
  }
  const { rows, waiting } = known.current?.held ?? freshly(items);
  const show = () => {
    known.current = { of, items, held: freshly(items) };
    draw();
  };
  // Who leaves finds the pill as it was, and no row that is on the list no more.
  const set = (part: "pointer" | "focus", isInside: boolean) => {
    inside.current[part] = isInside;
    const isLeft = !inside.current.pointer && !inside.current.focus;
    if (isLeft && waiting === 0 && rows.some(({ isGone }) => isGone)) show();
  };
  const around = {
    ref,
    onPointerEnter: () => set("pointer", true),
    onPointerLeave: () => set("pointer", false),
    onFocus: ({ target }: FocusEvent<HTMLElement>) => set("focus", target.matches(":focus-visible")), // not by a press
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) =>
      set("focus", inside.current.focus && currentTarget.contains(relatedTarget)),
  };
  return { rows, around, waiting, show };
}

interface PillProps {
  waiting: number;
  show: () => void;
  /** What they are called. */
  word?: "held.new" | "runs.new";
}

/** The new ones that wait; a press shows them. */
export function NewPill({ waiting, show, word = "held.new" }: PillProps) {
  const say = useSay();
  return (
    <span role="status">
      {waiting > 0 && (
        <button type="button" className="pill" onClick={show}>
          {say(word, { count: waiting })}
        </button>
      )}
    </span>
  );
}
