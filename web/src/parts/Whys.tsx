/// Why runs of a list wait: all of them in one request, made when somebody asks about the first.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { runWhys } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { askedWith, isWaiting } from "../format/waiting.ts";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";
import { useZone } from "./settings.ts";
import { WhyCard } from "./WhyCard.tsx";

export interface Asking {
  /** The run whose sentence is shown; null: none. */
  opened: string | null;
  /** The runs that are asked about with it. */
  ids: string[];
  toggle: (id: string) => void;
}

/**
 * Which run of a list is asked about. The others are those that waited when somebody asked first. It is the same from one
 * drawing to the next until somebody asks: rows are not drawn anew for it.
 */
export function useAsking(runs: readonly RunOut[]): Asking {
  const [opened, setOpened] = useState<string | null>(null);
  const [ids, setIds] = useState<string[]>([]);
  const latest = useRef(runs);
  latest.current = runs;
  return useMemo(() => {
    const toggle = (id: string) => {
      if (!ids.includes(id)) {
        const waiting = latest.current.filter(isWaiting).map((run) => run.id);
        setIds(askedWith(id, waiting));
      }
      setOpened(opened === id ? null : id);
    };
    return { opened, ids, toggle };
  }, [opened, ids]);
}

export function WhyButton({ run, asking }: { run: RunOut; asking: Asking }) {
  const say = useSay();
  if (!isWaiting(run)) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      ml={6}
      aria-expanded={asking.opened === run.id}
      aria-label={`${say("job.why")} ${run.id}`}
      onClick={() => asking.toggle(run.id)}
    >
      {say("job.why")}
    </Button>
  );
}

/** The sentence and the next step, below the row. A run that waits no more has none. */
export function WhyRow({ run, asking, columns }: { run: RunOut; asking: Asking; columns: number }) {
  if (asking.opened !== run.id || !isWaiting(run)) return null;
  return (
    <tr className="inner">
      <td className="first" colSpan={columns}>
        <Why id={run.id} ids={asking.ids} />
      </td>
    </tr>
  );
}

function Why({ id, ids }: { id: string; ids: string[] }) {
  const say = useSay();
  const query = useQuery(runWhys(ids, useZone()));
  return (
    <Loaded query={query} rows={1}>
      {(found) => {
        const why = found.items.find((one) => one.run === id);
        return why ? <WhyCard why={why} /> : <p className="soft">{say("why.gone")}</p>;
      }}
    </Loaded>
  );
}
