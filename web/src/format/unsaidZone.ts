/// The zone of a schedule, where neither its sentence nor the page says it.
import type { JobOut } from "../api/types.ts";

/** A sentence leaves UTC out. Beside instants of another zone a time without one would be read as one of theirs. */
export function unsaidZone(job: Pick<JobOut, "schedule" | "zones">, shown: string): string | null {
  const [zone, ...others] = job.zones;
  if (zone === undefined || others.length > 0 || zone === shown) return null;
  return job.schedule?.includes(zone) ? null : zone;
}
