/// What just happened, for some seconds: a small store. What somebody points at or reads with the keys stays, and so
/// does a problem until it is put away.

export interface Notice {
  id: number;
  text: string;
  /** The next step and the code: it is a problem. */
  problem?: { hint: string; code: string } | undefined;
  run?: { id: string; label: string } | undefined;
  undo?: { label: string; act: () => Promise<void> } | undefined;
}

export interface Told {
  title: string;
  hint: string;
  code: string;
}

const SHOWN_MS = 6000;
const MANY = 3;
let notices: Notice[] = [];
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

export function onNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const readNotices = (): Notice[] => notices;

function set(next: Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

export function tell(text: string, run?: Notice["run"], undo?: Notice["undo"]): void {
  const id = add({ text, run, undo });
  release(id);
}

/** What went wrong, with the next step; `undo` can be pressed once more. */
export function tellProblem({ title, hint, code }: Told, undo?: Notice["undo"]): void {
  add({ text: title, problem: { hint, code }, undo });
}

function add(notice: Omit<Notice, "id">): number {
  const id = nextId++;
  for (const old of notices.slice(0, 1 - MANY)) hold(old.id);
  set([...notices.slice(1 - MANY), { id, ...notice }]);
  return id;
}

/** Somebody looks at it: it stays. */
export function hold(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Nobody looks at it any more: its time begins anew. */
export function release(id: number): void {
  hold(id);
  const isThere = notices.some((notice) => notice.id === id && notice.problem === undefined);
  if (isThere)
    timers.set(
      id,
      setTimeout(() => putAway(id), SHOWN_MS),
    );
}

export function putAway(id: number): void {
  hold(id);
  set(notices.filter((notice) => notice.id !== id));
}
