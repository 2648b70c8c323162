/// The pages of the console, in the order of the rail.
import { useRights } from "../parts/rights.ts";
import type { Word } from "../words/say.ts";

export const MAIN = [
  { to: "/", icon: "overview", word: "nav.overview" },
  { to: "/jobs", icon: "jobs", word: "nav.jobs" },
  { to: "/runs", icon: "runs", word: "nav.runs" },
  { to: "/nodes", icon: "nodes", word: "nav.nodes" },
  { to: "/alerts", icon: "alerts", word: "nav.alerts" },
] as const;

const MORE = [
  { to: "/checks", icon: "checks", word: "nav.checks" },
  { to: "/reports", icon: "reports", word: "nav.reports" },
  { to: "/backfills", icon: "backfills", word: "nav.backfills" },
  { to: "/calendars", icon: "calendars", word: "nav.calendars" },
  { to: "/limits", icon: "limits", word: "nav.limits" },
  { to: "/locks", icon: "locks", word: "nav.locks" },
  { to: "/events", icon: "events", word: "nav.events" },
  { to: "/tokens", icon: "tokens", word: "nav.tokens" },
  { to: "/settings", icon: "settings", word: "nav.settings" },
] as const;

/** The word of each place that an address begins with. */
export const WORDS: Readonly<Record<string, Word>> = {
  ...Object.fromEntries([...MAIN, ...MORE].map(({ to, word }) => [to.slice(1), word])),
  new: "edit.new",
  edit: "do.edit",
  compare: "pair.title",
  login: "login.title",
};

export type Place = (typeof MAIN)[number] | (typeof MORE)[number];

/** The further pages that the session may see. */
export function useMorePlaces(): Place[] {
  const rights = useRights();
  return MORE.filter((place) => place.to !== "/tokens" || rights.admin);
}
