/// What just happened, said once, with a link to it.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  text: string;
  run?: { id: string; label: string } | undefined;
  undo?: { label: string; act: () => Promise<void> } | undefined;
}

const SHOWN_MS = 6000;
let toasts: Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const read = () => toasts;

function set(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function tell(text: string, run?: Toast["run"], undo?: Toast["undo"]): void {
  const id = nextId++;
  set([...toasts.slice(-2), { id, text, run, undo }]);
  setTimeout(() => away(id), SHOWN_MS);
}

function away(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

function Undo({ toast, undo }: { toast: number; undo: NonNullable<Toast["undo"]> }) {
  const client = useQueryClient();
  const act = async () => {
    away(toast);
    await undo.act();
    await client.invalidateQueries();
  };
  return (
    <button type="button" className="linklike undo" onClick={() => void act()}>
      {undo.label}
    </button>
  );
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, read);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className="toast">
          <span>{toast.text}</span>
          {toast.run && (
            <Link to="/runs/$run" params={{ run: toast.run.id }}>
              {toast.run.label}
            </Link>
          )}
          {toast.undo && <Undo toast={toast.id} undo={toast.undo} />}
        </div>
      ))}
    </div>
  );
}
