/// A favourite job as a saved view: its name tells it from other views, its path says which job it is.

export interface Named {
  namespace: string;
  name: string;
}

const MARK = "favourite.";

export function nameOf(job: Named): string {
  return `${MARK}${job.namespace}.${job.name}`;
}

/** The job of a view that is a favourite; null: it is another view. */
export function favouriteOf(view: { name: string; path: string; shared: boolean }): Named | null {
  const found = /^\/jobs\/([^/?]+)\/([^/?]+)$/.exec(view.path);
  if (view.shared || !view.name.startsWith(MARK) || !found) return null;
  return { namespace: decodeURIComponent(found[1] ?? ""), name: decodeURIComponent(found[2] ?? "") };
}
