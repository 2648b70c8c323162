/// What statistics of a job and of a node have in common.
import type { JobStatsOut } from "./types.ts";

export type RangeStats = Omit<JobStatsOut, "anomalies">;
