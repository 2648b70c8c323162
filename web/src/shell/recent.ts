/// Keeps in the browser which jobs and runs were opened last: the search offers them first.
import { useEffect } from "react";
import { type Recent, readRecent, recentOf, withRecent } from "../format/recent.ts";

const KEPT = "foliot.recent";

export function recentPlaces(): Recent[] {
  return readRecent(localStorage.getItem(KEPT));
}

export function useRecent(pathname: string): void {
  useEffect(() => {
    const opened = recentOf(pathname);
    if (opened === null) return;
    const places = withRecent(recentPlaces(), opened).map((one) => one.to);
    localStorage.setItem(KEPT, JSON.stringify(places));
  }, [pathname]);
}
