/// Whether a run stands for its shards: no worker ever had it, and yet it went on.
export interface Told {
  state: string;
  kind: string | null;
  attempt: number;
  open_shards: number;
  parent: string | null;
}

/** "maybe": it was cancelled before a worker had it, or with its shards; only its list of shards tells. */
export function standsForShards(run: Told): "yes" | "no" | "maybe" {
  if (run.parent !== null) return "no";
  if (run.open_shards > 0) return "yes";
  if (run.attempt > 0 || run.state === "PENDING") return "no";
  if (run.state === "FAILED" && run.kind === "rejected") return "no";
  return run.state === "CANCELLED" ? "maybe" : "yes";
}
