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
