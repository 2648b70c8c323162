/// What a session may see of the cluster: its scopes, and the namespace or group that it is limited to.
import type { WhoOut } from "../api/types.ts";

/** Whether two sessions see the same, whoever they are. */
export function seesTheSame(one: WhoOut, other: WhoOut): boolean {
  const isWithin = one.namespace === other.namespace && one.group === other.group;
  return isWithin && one.scopes.toSorted().join() === other.scopes.toSorted().join();
}
