/// Whether this browser is logged in: a small store. A refused call anywhere ends the session on the screen.
import { useSyncExternalStore } from "react";
import { call, newKey, onLoggedOut } from "./call.ts";

export interface Session {
  /** `out`: never seen to be in; `ended`: it was in before, so what is on the page is kept. */
  is: "in" | "out" | "ended";
  /** Rises with each login. */
  epoch: number;
}

let session: Session = { is: "in", epoch: 0 };
let wasIn = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
const read = () => session;

function set(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

onLoggedOut(() => {
  if (session.is === "in") set({ ...session, is: wasIn ? "ended" : "out" });
});

export function noteGoodAnswer(): void {
  wasIn = true;
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, read);
}

/** Logs in with a one-time code or with a token; the browser keeps the session as a cookie that no script reads. */
export async function logIn(secret: string): Promise<void> {
  const isToken = secret.startsWith("fol_") || secret.length > 40;
  if (isToken) {
    await call("start_session", { headers: { Authorization: `Bearer ${secret}` }, key: newKey() });
  } else {
    await call("login", { body: { code: secret, cookie: true } });
  }
  set({ is: "in", epoch: session.epoch + 1 });
}

export async function logOut(): Promise<void> {
  await call("logout", { key: newKey() });
  wasIn = false;
  set({ ...session, is: "out" });
}
