/// Addresses of single things, for links that do not ask the router.

export const jobPath = ({ namespace, name }: { namespace: string; name: string }): string =>
  `/jobs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export const groupPath = (group: string): string => `/jobs?group=${encodeURIComponent(group)}`;

/** A check opens beside the list. */
export const checkPath = ({ namespace, name }: { namespace: string; name: string }): string =>
  `/checks?name=${encodeURIComponent(name)}&namespace=${encodeURIComponent(namespace)}`;

export const runPath = (run: string): string => `/runs/${encodeURIComponent(run)}`;

/** A node is open in the table of all of them. */
export const nodePath = (called: string): string => `/nodes?node=${encodeURIComponent(called)}`;

/** An alert and a failover open beside their list. */
export const alertPath = (id: number): string => `/alerts?id=${id}`;

export const failoverPath = (id: number): string => `/nodes?tab=failovers&id=${id}`;

export const lockPath = ({ namespace, name }: { namespace: string; name: string }): string =>
  `/locks?name=${encodeURIComponent(name)}${namespace === "default" ? "" : `&namespace=${encodeURIComponent(namespace)}`}`;

/** Jobs whose name has the text in it: where a name is known and its namespace is not. */
export const jobsPath = (text: string): string => `/jobs?q=${encodeURIComponent(text)}`;

/** The limit of a whole group or namespace has that for its kind; others are named by jobs. */
export function limitPath(limit: { name: string; kind: unknown; namespace: unknown }): string {
  const parts = { name: limit.name, kind: limit.kind, namespace: limit.namespace };
  const given = Object.entries(parts).filter(([, value]) => typeof value === "string");
  return `/limits?${given.map(([part, value]) => `${part}=${encodeURIComponent(String(value))}`).join("&")}`;
}

interface Press {
  button: number;
  metaKey: boolean;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  defaultPrevented: boolean;
}

/** Whether a press means this window: the first button, and no key that asks the browser for something else. */
export function isPlainPress(press: Press): boolean {
  const hasKey = press.metaKey || press.ctrlKey || press.shiftKey || press.altKey;
  return press.button === 0 && !hasKey && !press.defaultPrevented;
}
