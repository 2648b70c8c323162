/// What can be done with the runs that were chosen in a list: those that are over run again, the others are cancelled.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { RunsWanted } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { isOver } from "../live/changes.ts";
import { useSay } from "../words/say.ts";
import { BulkDialog, type BulkVerb } from "./BulkDialog.tsx";
import { ChosenBar, type Selection } from "./Selection.tsx";

const VERBS = ["retry", "cancel"] as const;

interface Props {
  runs: RunOut[];
  wanted: RunsWanted;
  selection: Selection;
}

export function ChosenRuns({ runs, wanted, selection }: Props) {
  const say = useSay();
  const [verb, setVerb] = useState<BulkVerb | null>(null);
  const chosen = runs.filter((run) => selection.chosen.has(run.id));
  const of = {
    retry: chosen.filter((run) => isOver(run.state)),
    cancel: chosen.filter((run) => !isOver(run.state)),
  };
  const clear = () => selection.choose(new Set());
  return (
    <>
      <ChosenBar says={chosen.length === 0 ? "" : say("rows.count", { count: chosen.length })} clear={clear}>
        {VERBS.map((one) => (
          <Button
            key={one}
            size="compact-sm"
            variant="default"
            disabled={of[one].length === 0}
            onClick={() => setVerb(one)}
          >
            {say(`do.${one}`)}
            {of[one].length < chosen.length && of[one].length > 0 && ` ${of[one].length}`}
          </Button>
        ))}
      </ChosenBar>
      {verb && (
        <BulkDialog verb={verb} wanted={wanted} runs={of[verb]} close={() => setVerb(null)} onDone={clear} />
      )}
    </>
  );
}
