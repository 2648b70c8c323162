/// What did not run: due instants of all jobs that got no run, by reason, with why.
import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { jobWhy, skips, skipsPage } from "../api/queries.ts";
import type { SkipOut } from "../api/types.ts";
import { ChosenText } from "../parts/ChosenText.tsx";
import { ExportButton } from "../parts/ExportButton.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { JobLink } from "../parts/links.tsx";
import { useJobNames } from "../parts/names.ts";
import { Pages } from "../parts/Pages.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useZone } from "../parts/settings.ts";
import { At } from "../parts/Times.tsx";
import { WhyCard } from "../parts/WhyCard.tsx";
import { isWord, useSay } from "../words/say.ts";
import { SpanSelect, sinceOf } from "./eventSpan.tsx";

const REASONS = ["overlap", "misfire", "calendar", "blackout", "paused", "edited", "limit"] as const;

export function Skips() {
  const say = useSay();
  const { reason, subject, span } = useSearch({ from: "/events" });
  const navigate = useNavigate({ from: "/events" });
  const [opened] = useState(Date.now);
  const filter = { job: subject, reason, since: sinceOf(span, opened) };
  const query = useInfiniteQuery(skips(filter));
  const set = (change: Record<string, string>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== "")),
      replace: true,
    });
  return (
    <>
      <div className="filters">
        <ChosenText
          value={subject ?? ""}
          set={(name) => set({ subject: name })}
          label={say("skips.job")}
          useNames={useJobNames}
          isMain
        />
        <NativeSelect
          aria-label={say("skips.reason")}
          value={reason ?? ""}
          onChange={(event) => set({ reason: event.currentTarget.value })}
          data={[
            { value: "", label: say("skips.any") },
            ...REASONS.map((one) => ({ value: one, label: say(`skip.${one}`) })),
          ]}
        />
        <SpanSelect value={span} set={(wanted) => set({ span: wanted })} />
        <ExportButton file="skips" read={skipsPage(filter)} />
      </div>
      <Pages query={query} rows={12} empty={<p className="empty">{say("skips.none")}</p>}>
        {(all: SkipOut[]) => (
          <ul className="lines">
            {all.map((one) => (
              <Skip key={one.id} skip={one} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

function Skip({ skip }: { skip: SkipOut }) {
  const say = useSay();
  const [isAsked, setAsked] = useState(false);
  const reason = `skip.${skip.reason}`;
  return (
    <li>
      <span className="soft">
        <At iso={skip.from_at} />
        {skip.to_at !== skip.from_at && (
          <>
            {" – "}
            <At iso={skip.to_at} />
          </>
        )}
      </span>
      <JobLink job={{ name: skip.job, namespace: skip.namespace }} />
      <span>{isWord(reason) ? say(reason) : <Raw>{skip.reason}</Raw>}</span>
      {skip.count > 1 && <span className="soft">{say("job.times", { count: skip.count })}</span>}
      <span className="end">
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isAsked}
          onClick={() => setAsked(!isAsked)}
        >
          {say("job.why")}
        </Button>
      </span>
      {isAsked && <Why skip={skip} />}
    </li>
  );
}

function Why({ skip }: { skip: SkipOut }) {
  const zone = useZone();
  const query = useQuery(jobWhy(skip.namespace, skip.job, skip.to_at, zone));
  return (
    <div className="whole">
      <Loaded query={query} rows={1}>
        {(found) => found.items.map((why) => <WhyCard key={why.sentence} why={why} />)}
      </Loaded>
    </div>
  );
}
