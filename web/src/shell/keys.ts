/// The keys of the console. Those that change something press a button that opens a dialog: nothing happens at once.
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { flushSync } from "react-dom";
import { copyText } from "../parts/clipboard.ts";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

const GO: Record<string, string> = {
  o: "/",
  j: "/jobs",
  r: "/runs",
  n: "/nodes",
  a: "/alerts",
  l: "/locks",
  m: "/limits",
  e: "/events",
  b: "/backfills",
  c: "/checks",
  p: "/reports",
};
const PAIR_MS = 1200;
const ROW = "main tbody tr, main .lines > li";
/** Links that stand for a place of their own: a line of a log, a bar of a strip. */
const PLACE = ".log a.at, .strip a";

export function useKeys(open: (what: "search" | "keys") => void): void {
  const navigate = useNavigate();
  const say = useSay();
  useEffect(() => {
    let wentAt = 0;
    const copyLink = async () => {
      const place = document.activeElement?.closest<HTMLAnchorElement>(PLACE);
      const isCopied = await copyText(place?.href ?? window.location.href);
      tell(say(isCopied ? "keys.copied" : "keys.not_copied"));
    };
    const acts: Record<string, () => void> = {
      "?": () => open("keys"),
      "/": () => document.querySelector<HTMLElement>("[data-filter]")?.focus(),
      j: () => move(1),
      k: () => move(-1),
      l: () => openLog(),
      t: () => press("t"),
      p: () => press("p"),
      x: () => press("x"),
      c: () => press("c"),
      y: () => void copyLink(),
    };
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        // Drawn and focused before the next key comes: letters that are typed at once are not lost, and are no keys of the page.
        flushSync(() => open("search"));
        return;
      }
      if (
        event.key === "Escape" &&
        event.target instanceof HTMLElement &&
        event.target.matches("[data-filter]")
      ) {
        event.target.blur();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const isSecond = Date.now() - wentAt < PAIR_MS;
      wentAt = event.key === "g" ? Date.now() : 0;
      const to = isSecond ? GO[event.key] : undefined;
      const act = to ? () => void navigate({ to }) : acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, open, say]);
}

/** The row that has the focus; null when none has. */
function rowHere(): Element | null {
  return document.activeElement?.closest(ROW) ?? null;
}

/** Moves the focus to the first link of the next row or the one before: Enter opens it. */
function move(step: 1 | -1): void {
  const rows = [...document.querySelectorAll(ROW)].filter((row) => row.querySelector("a"));
  const here = rowHere();
  const at = here ? rows.indexOf(here) + step : 0;
  rows[Math.min(Math.max(at, 0), rows.length - 1)]?.querySelector("a")?.focus();
}

const LOG = '[data-key="l"]';

/** The log of the row's run; without a row, of the page's: the newest of a job, and the run's own on its page. */
function openLog(): void {
  const main = document.querySelector("main");
  const found = runOf(rowHere()) ?? runOf(main);
  if (found?.matches("[role=log]")) found.focus();
  else found?.click();
}

/** What is marked for this key; else the first run. */
function runOf(place: Element | null): HTMLElement | null {
  return place?.querySelector<HTMLElement>(LOG) ?? place?.querySelector('a[href*="/runs/r-"]') ?? null;
}

/** The button that says it is for this key: of the rows that are chosen, else of the row, else of the page. */
function press(key: string): void {
  const button = `[data-key="${key}"]`;
  const ofMany = document.querySelector<HTMLElement>(`.chosenbar ${button}`);
  const ofRow = rowHere()?.querySelector<HTMLElement>(button);
  (ofMany ?? ofRow ?? document.querySelector<HTMLElement>(`.title ${button}`))?.click();
}

/** Whether letters are for what has the focus: a field, a dialog, a menu that goes to what begins with them. */
function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input.choose")) return false; // it takes the space bar alone
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("[role=dialog], [role=menu]") !== null
  );
}
