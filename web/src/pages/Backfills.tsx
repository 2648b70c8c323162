/// Backfills: how far each is, and what can be done with it.
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import { backfills } from "../api/queries.ts";
import type { BackfillOut } from "../api/types.ts";
import { count } from "../format/time.ts";
import { BackfillDialog } from "../parts/BackfillDialog.tsx";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { JobLink } from "../parts/links.tsx";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { At } from "../parts/Times.tsx";
import { useSay } from "../words/say.ts";

type Verb = "pause_backfill" | "resume_backfill" | "end_backfill";
type Opened = { verb: Verb; of: BackfillOut } | null;

export function BackfillsPage() {
  const say = useSay();
  const rights = useRights();
  const query = useInfiniteQuery(backfills());
  const [isNew, setNew] = useState(false);
  const [opened, setOpened] = useState<Opened>(null);
  return (
    <>
      <div className="title">
        <h1>{say("fill.title")}</h1>
        <div className="acts">
          {rights.run && <Button onClick={() => setNew(true)}>{say("fill.new")}</Button>}
        </div>
      </div>
      <Pages
        query={query}
        empty={
          <div className="empty">
            <p>{say("fill.none")}</p>
            <Command text="foliot job backfill greet --from 2026-11-01 --to 2026-11-08" />
          </div>
        }
      >
        {(all) => (
          <ul className="lines" aria-label={say("fill.list")}>
            {all.map((one) => (
              <Line key={one.id} of={one} open={setOpened} />
            ))}
          </ul>
        )}
      </Pages>
      {isNew && <BackfillDialog close={() => setNew(false)} />}
      {opened && <VerbDialog opened={opened} close={() => setOpened(null)} />}
    </>
  );
}

function Line({ of, open }: { of: BackfillOut; open: (opened: Opened) => void }) {
  const say = useSay();
  const rights = useRights();
  const done = of.succeeded + of.failed;
  const isOpen = of.state === "ACTIVE" || of.state === "PAUSED";
  return (
    <li>
      <span className="mono soft">#{of.id}</span>
      <JobLink job={{ name: of.job, namespace: of.namespace }} />
      <State of={of.state} family="fill" />
      <span className="soft">
        <At iso={of.from_at} /> → <At iso={of.to_at} />
      </span>
      <span className="meter" role="img" aria-label={say("fill.done", { done, total: of.total })}>
        <i style={{ width: `${of.total === 0 ? 100 : (done / of.total) * 100}%` }} />
      </span>
      <span>
        {count(done)} / {count(of.total)}
      </span>
      {of.failed > 0 && <span className="tone-bad">{say("fill.failures", { count: of.failed })}</span>}
      <span className="soft">
        <Raw>{of.created_by}</Raw> <Raw>{of.reason}</Raw>
      </span>
      {isOpen && rights.run && (
        <span className="end">
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => open({ verb: of.state === "PAUSED" ? "resume_backfill" : "pause_backfill", of })}
          >
            {say(of.state === "PAUSED" ? "do.resume" : "do.pause")}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => open({ verb: "end_backfill", of })}>
            {say("fill.end")}
          </Button>
        </span>
      )}
    </li>
  );
}

function VerbDialog({ opened, close }: { opened: NonNullable<Opened>; close: () => void }) {
  const say = useSay();
  const { verb, of } = opened;
  const says = {
    pause_backfill: ["fill.pause_says", "do.pause"],
    resume_backfill: ["fill.resume_says", "do.resume"],
    end_backfill: ["fill.end_says", "fill.end"],
  } as const;
  const [sentence, action] = says[verb];
  const how = { pause_backfill: "pause", resume_backfill: "resume", end_backfill: "end" }[verb];
  const path = { number: of.id };
  return (
    <Confirm
      title={`#${of.id} ${of.job}`}
      says={say(sentence, { count: of.total - of.inserted })}
      action={say(action)}
      hasReason={false}
      isDanger={verb === "end_backfill"}
      act={() => ({
        verb: "job backfills",
        options: { [how]: String(of.id) },
        asked: asked(verb, { path }),
        method: { name: `backfills.${how}`, given: [of.id] },
      })}
      close={close}
      change={async ({ key }) => {
        await call(verb, { path, key });
      }}
    />
  );
}
