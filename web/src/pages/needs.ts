/// What needs somebody, out of the overview: the gravest first.
import type { AlertOut, HeldRunOut, JobOut, NodeOut, OverviewOut, TroubleOut } from "../api/types.ts";

export type Need =
  | { is: "alert"; alert: AlertOut }
  | { is: "failing"; job: JobOut }
  | { is: "late"; job: JobOut }
  | { is: "held"; held: HeldRunOut }
  | { is: "node"; node: NodeOut }
  | { is: "trouble"; trouble: TroubleOut };

export function needsOf(overview: OverviewOut): Need[] {
  const troubles = (overview.cluster?.troubles ?? []).map((trouble) => ({ is: "trouble" as const, trouble }));
  const alerts = overview.alerts.filter((alert) => alert.silence === null);
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

/** A failure that an alert tells of stands once. */
function isAbout(alert: AlertOut, job: JobOut): boolean {
  const first = alert.subjects[0];
  return alert.kind === "failed" && first?.subject === job.name && first.namespace === job.namespace;
}

/** A node that an alert tells of stands once, too. */
function isOfNode(alert: AlertOut, node: NodeOut): boolean {
  return alert.kind === "node" && alert.subjects[0]?.subject === node.name;
}

/** A node that left in order is well; one that came back under its name is, too. */
function isUnwell(node: NodeOut, _: number, nodes: NodeOut[]): boolean {
  if (node.health === "ONLINE" || node.health === "LEFT") return false;
  const isBack = nodes.some((other) => other.name === node.name && other.health === "ONLINE");
  return node.health !== "DEAD" || !isBack;
}
