/// What can be done with the jobs that were chosen in a list, or with all that its filter lets through.
import { Button, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type JobsWanted, matchingCount } from "../api/queries.ts";
import type { JobOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { JobBulkDialog, type JobVerb, verbsOf } from "./JobBulk.tsx";
import { useRights } from "./rights.ts";
import { ChosenBar, type Selection } from "./Selection.tsx";

/** The key of each verb, which presses its button. */
const KEYS: Partial<Record<JobVerb, string>> = { trigger: "t", pause: "p" };

interface Props {
  jobs: JobOut[];
  /** The list has no further page. */
  isWhole: boolean;
  wanted: JobsWanted & { starred?: boolean | undefined };
  selection: Selection;
}

/** What was chosen when the verb was pressed: the dialog outlives it when something is refused. */
interface Pressed {
  verb: JobVerb;
  /** Undefined: all that the filter lets through. */
  chosen: JobOut[] | undefined;
}

export function ChosenJobs({ jobs, isWhole, wanted, selection }: Props) {
  const say = useSay();
  const rights = useRights();
  const [pressed, setPressed] = useState<Pressed | null>(null);
  const chosen = jobs.filter((job) => selection.chosen.has(`${job.namespace}/${job.name}`));
  const isOfFilter = selection.isAll && !wanted.starred && chosen.length > 0;
  const matching = useMatching(wanted, isOfFilter);
  const clear = () => selection.choose(new Set());
  const mayTakeAll = !isOfFilter && !wanted.starred && (!isWhole || chosen.length < jobs.length);
  const says = isOfFilter ? matching : say("rows.count", { count: chosen.length });
  return (
    <>
      <ChosenBar says={chosen.length === 0 ? "" : says} clear={clear}>
        {verbsOf(rights).map((one) => (
          <Button
            key={one}
            size="compact-sm"
            variant="default"
            data-key={KEYS[one]}
            onClick={() => setPressed({ verb: one, chosen: isOfFilter ? undefined : chosen })}
          >
            {say(`do.${one}`)}
          </Button>
        ))}
        {mayTakeAll && (
          <Button size="compact-sm" variant="subtle" onClick={selection.chooseAll}>
            {say("rows.matching")}
          </Button>
        )}
      </ChosenBar>
      {pressed && (
        <JobBulkDialog {...pressed} wanted={wanted} close={() => setPressed(null)} onDone={clear} />
      )}
    </>
  );
}

/** How many jobs the filter lets through, at the head of the menu for all of them. */
export function Matching({ wanted }: { wanted: JobsWanted }) {
  return <Menu.Label>{useMatching(wanted, true)}</Menu.Label>;
}

function useMatching(wanted: JobsWanted, isAsked: boolean): string {
  const say = useSay();
  const { data } = useQuery({ ...matchingCount(wanted), enabled: isAsked });
  if (data === undefined) return "…";
  if (data.isCut) return say("many.too_many");
  return say("rows.all_match", { count: data.count });
}
