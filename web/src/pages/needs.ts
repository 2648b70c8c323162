/// What needs somebody, out of the overview: the gravest first.
import type { HeldRunOut, JobOut, NodeOut, OverviewOut, TroubleOut } from "../api/types.ts";

export type Need =
  | { is: "failing"; job: JobOut }
  | { is: "late"; job: JobOut }
  | { is: "held"; held: HeldRunOut }
  | { is: "node"; node: NodeOut }
  | { is: "trouble"; trouble: TroubleOut };

export function needsOf(overview: OverviewOut): Need[] {
  const troubles = (overview.cluster?.troubles ?? []).map((trouble) => ({ is: "trouble" as const, trouble }));
  const nodes = (overview.cluster?.nodes ?? [])
    .filter(isUnwell)
    .map((node) => ({ is: "node" as const, node }));
  return [
    ...troubles,
    ...overview.failing.map((job) => ({ is: "failing" as const, job })),
    ...overview.late.map((job) => ({ is: "late" as const, job })),
    ...overview.held.map((held) => ({ is: "held" as const, held })),
    ...nodes,
  ];
}

/** A node that left in order is well; one that came back under its name is, too. */
function isUnwell(node: NodeOut, _: number, nodes: NodeOut[]): boolean {
  if (node.health === "ONLINE" || node.health === "LEFT") return false;
  const isBack = nodes.some((other) => other.name === node.name && other.health === "ONLINE");
  return node.health !== "DEAD" || !isBack;
}
