/// Names that are offered while one is written: of jobs, nodes, rules. Undefined while they are not known.
import { useQuery } from "@tanstack/react-query";
import { rules } from "../api/alerts.ts";
import { jobsNamed, nodeNames, overview } from "../api/queries.ts";
import { placedAs, readPlaced } from "../format/placed.ts";
import { useNamespace, useZone } from "./settings.ts";

type Names = string[] | undefined;

/** The namespace that the name of a job alone is of. */
export function useHome(): string {
  return useNamespace() || "default";
}

export function useJobNames(text: string): Names {
  const { data } = useQuery(jobsNamed(text));
  return data && [...new Set(data.map((job) => job.name))];
}

/** Each with its namespace where that is not the one at home; those at home first. */
export function usePlacedJobs(text: string): Names {
  const home = useHome();
  const { data } = useQuery(jobsNamed(readPlaced(text, home).name));
  const sorted = data?.toSorted(
    (one, other) => Number(other.namespace === home) - Number(one.namespace === home),
  );
  return sorted?.map((job) => placedAs(job, home)).filter((name) => has(name, text));
}

export function useNodeNames(text: string): Names {
  const { data } = useQuery(nodeNames(text !== ""));
  return data?.filter((name) => has(name, text));
}

export function useNamespaceNames(text: string): Names {
  const { data } = useQuery({ ...overview(useZone()), enabled: text !== "" });
  return data?.namespaces.filter((name) => has(name, text));
}

/** What events are about, as far as it has a name that is not an id. */
export function useSubjects(text: string): Names {
  const jobs = useJobNames(text);
  const nodes = useNodeNames(text);
  return jobs && nodes && [...jobs, ...nodes];
}

export function useRuleNames(text: string): Names {
  const { data } = useQuery({ ...rules(), enabled: text !== "" });
  return data?.items.map((rule) => rule.name).filter((name) => has(name, text));
}

function has(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}
