/// What statistics of a job and of a node have in common. Anomalies are those of a job.
import type { JobStatsOut } from "./types.ts";

export type RangeStats = Omit<JobStatsOut, "anomalies"> & Partial<Pick<JobStatsOut, "anomalies">>;
