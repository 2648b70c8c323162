/// What the user chose for this browser: the zone of times, how dense lists are, columns.
import { useEffect, useSyncExternalStore } from "react";
import { lookAt, serverNow } from "../api/call.ts";
import { browserZone } from "../format/time.ts";

const KEPT = "foliot.zone";
const listeners = new Set<() => void>();
let zone = usualZone();
let offered = "";

function usualZone(): string {
  return localStorage.getItem(KEPT) === "UTC" ? "UTC" : browserZone();
}

export function chooseZone(wanted: string): void {
  zone = wanted;
  if (wanted !== offered) localStorage.setItem(KEPT, wanted); // that of a job is for its page
  tellAll();
}

function tellAll(): void {
  for (const listener of listeners) listener();
}

/** While the page of a job is there, the zone of its schedule can be chosen, too. */
export function useOffersZone(wanted: string): void {
  useEffect(() => {
    offered = wanted === "UTC" || wanted === browserZone() ? "" : wanted;
    tellAll();
    return () => {
      offered = "";
      zone = usualZone();
      tellAll();
    };
  }, [wanted]);
}

const readOffered = () => offered;

export function useOfferedZone(): string {
  return useSyncExternalStore(onZone, readOffered);
}

// These stand outside of the hooks: a new function at each render would subscribe anew each time.
function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const readZone = () => zone;

export function useZone(): string {
  return useSyncExternalStore(onZone, readZone);
}

/** The namespace of all lists; "": every one. It stands in the address, so a view that is sent shows the same. */
let namespace = new URLSearchParams(window.location.search).get("in") ?? "";
lookAt(namespace);

export function chooseNamespace(wanted: string): void {
  namespace = wanted;
  lookAt(wanted);
  tellAll();
}

const readNamespace = () => namespace;

export function useNamespace(): string {
  return useSyncExternalStore(onZone, readNamespace);
}

export type Density = "compact" | "comfortable";

const KEPT_DENSITY = "foliot.density";
let density: Density = localStorage.getItem(KEPT_DENSITY) === "comfortable" ? "comfortable" : "compact";
document.documentElement.dataset.density = density;

export function chooseDensity(wanted: Density): void {
  density = wanted;
  localStorage.setItem(KEPT_DENSITY, wanted);
  document.documentElement.dataset.density = wanted;
  tellAll();
}

const readDensity = () => density;

export function useDensity(): Density {
  return useSyncExternalStore(onZone, readDensity);
}

/** The columns of the list of jobs as they are written; "": the usual ones. */
const KEPT_COLUMNS = "foliot.columns";
let columns = localStorage.getItem(KEPT_COLUMNS) ?? "";

export function chooseColumns(wanted: string): void {
  columns = wanted;
  localStorage.setItem(KEPT_COLUMNS, wanted);
  tellAll();
}

const readColumnsKept = () => columns;

export function useColumns(): string {
  return useSyncExternalStore(onZone, readColumnsKept);
}

let nowMs = serverNow();
const tickers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function tick(): void {
  nowMs = serverNow();
  for (const ticker of tickers) ticker();
}

/** The server's time, once a second. All that show it share one timer. */
export function useNow(): number {
  return useSyncExternalStore(onTick, readNow);
}

const readNow = () => nowMs;

/** What follows from the server's time: drawn anew when it changes, not with each second. It must be a plain value. */
export function useOfNow<T extends string | number | boolean>(read: (nowMs: number) => T): T {
  return useSyncExternalStore(onTick, () => read(nowMs));
}

function onTick(listener: () => void): () => void {
  tickers.add(listener);
  if (timer === null) {
    nowMs = serverNow();
    timer = setInterval(tick, 1000);
  }
  return () => {
    tickers.delete(listener);
    if (tickers.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}
