/// What just happened, said once, with a link to it.
import { Link } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  text: string;
  run?: { id: string; label: string };
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

export function tell(text: string, run?: Toast["run"]): void {
  const id = nextId++;
  set([...toasts.slice(-2), run ? { id, text, run } : { id, text }]);
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), SHOWN_MS);
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
        </div>
      ))}
    </div>
  );
}
