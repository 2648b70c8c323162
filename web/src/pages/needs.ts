/// What needs somebody, out of the overview: the gravest first.
import type { AlertOut, HeldRunOut, JobOut, NodeOut, OverviewOut, TroubleOut } from "../api/types.ts";

export type Need =
  | { is: "alert"; alert: AlertOut }
  | { is: "failing"; job: JobOut }
  | { is: "late"; job: JobOut }
  | { is: "held"; held: HeldRunOut }
  | { is: "node"; node: NodeOut }
  | { is: "trouble"; trouble: TroubleOut };

const RANKS = { critical: 0, warning: 1, info: 2 } as const;

export function needsOf(overview: OverviewOut): Need[] {
  const troubles = (overview.cluster?.troubles ?? []).map((trouble) => ({ is: "trouble" as const, trouble }));
  const alerts = overview.alerts
    .filter((alert) => alert.silence === null)
    .sort((one, other) => RANKS[one.level] - RANKS[other.level]); // those of a level stay newest first
  const nodes = (overview.cluster?.nodes ?? [])
    .filter(isUnwell)
    .filter((node) => !alerts.some((alert) => isOfNode(alert, node)))
    .map((node) => ({ is: "node" as const, node }));
  return [
    ...troubles,
    ...alerts.map((alert) => ({ is: "alert" as const, alert })),
    ...overview.failing
      .filter((job) => !alerts.some((alert) => isAbout(alert, job)))
      .map((job) => ({ is: "failing" as const, job })),
    ...overview.late.map((job) => ({ is: "late" as const, job })),
    ...overview.held.map((held) => ({ is: "held" as const, held })),
    ...nodes,
  ];
}

/** A failure that an alert tells of stands once. One alert may tell of several jobs. */
function isAbout(alert: AlertOut, job: JobOut): boolean {
  return (
    alert.kind === "failed" &&
    alert.subjects.some((one) => one.subject === job.name && one.namespace === job.namespace)
  );
}

/** A node that an alert tells of stands once, too: by its band, or by the failover that takes its work over. */
function isOfNode(alert: AlertOut, node: NodeOut): boolean {
  const isOfNodes = alert.kind === "node" || alert.kind === "failover";
  return isOfNodes && alert.subjects.some((one) => one.subject === node.name);
}

/** A node that left in order is well; one that came back under its name is, too. Of several deaths of a name the last one stands. */
function isUnwell(node: NodeOut, _: number, nodes: NodeOut[]): boolean {
  if (node.health === "ONLINE" || node.health === "LEFT") return false;
  const others = nodes.filter((other) => other.name === node.name && other !== node);
  return node.health !== "DEAD" || !others.some((other) => isLater(other, node));
}

function isLater(other: NodeOut, node: NodeOut): boolean {
  return other.health !== "DEAD" || Date.parse(other.started_at) > Date.parse(node.started_at);
}
