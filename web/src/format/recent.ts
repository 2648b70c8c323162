/// The places that were opened last, newest first, each once.

export interface Recent {
  to: string;
  name: string;
  kind: "job" | "run";
  /** Of a job. */
  namespace?: string;
}

export const RECENT_MAX = 8;

/** The job or the run that an address is about; null: it is another page. */
export function recentOf(pathname: string): Recent | null {
  const job = /^\/jobs\/([^/]+)\/([^/]+)$/.exec(pathname);
  if (job) {
    const [namespace = "", name = ""] = job.slice(1).map(decodeURIComponent);
    return { to: pathname, kind: "job", name, namespace };
  }
  const run = /^\/runs\/(r-[^/]+)$/.exec(pathname);
  if (run) return { to: pathname, kind: "run", name: run[1] ?? "" };
  return null;
}

export function withRecent(before: readonly Recent[], opened: Recent): Recent[] {
  return [opened, ...before.filter((one) => one.to !== opened.to)].slice(0, RECENT_MAX);
}

/** What was kept in the browser; anything else in its place is nothing. */
export function readRecent(kept: string | null): Recent[] {
  try {
    const found: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(found) ? found.flatMap((one) => recentOf(String(one)) ?? []) : [];
  } catch {
    return [];
  }
}
