/// A filter by time: a span up to now, last night, or from a time to another.
import { NativeSelect, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { serverNow } from "../api/call.ts";
import { instantWritten } from "../format/day.ts";
import { lastNight, SPANS_SHOWN, written } from "../format/range.ts";
import { useSay } from "../words/say.ts";
import { useZone } from "./settings.ts";

export interface Range {
  span: string;
  since: string;
  until: string;
}

const ANY: Range = { span: "", since: "", until: "" };

export function RangeField({ range, set }: { range: Range; set: (range: Range) => void }) {
  const say = useSay();
  const zone = useZone();
  const [isOwn, setOwn] = useState(false);
  const hasTimes = range.since !== "" || range.until !== "";
  const chosen = hasTimes || isOwn ? "own" : range.span;
  const choose = (next: string) => {
    setOwn(next === "own");
    if (next === "own") set({ ...ANY, since: range.since, until: range.until });
    else if (next === "night") set({ ...ANY, ...lastNight(serverNow(), zone) });
    else set({ ...ANY, span: next });
  };
  return (
    <>
      <NativeSelect
        aria-label={say("range.label")}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: "", label: say("range.any") },
          ...SPANS_SHOWN.map((span) => ({ value: span, label: say(`span.${span}`) })),
          { value: "night", label: say("range.night") },
          { value: "own", label: say("range.own") },
        ]}
      />
      {chosen === "own" &&
        (["since", "until"] as const).map((side) => (
          <TimeField
            key={side}
            label={say(`range.${side}`)}
            value={range[side]}
            set={(at) => set({ ...range, span: "", [side]: at })}
          />
        ))}
    </>
  );
}

/** A year is written digit by digit: what is no year of ours yet is no filter. */
function TimeField({ label, value, set }: { label: string; value: string; set: (value: string) => void }) {
  const zone = useZone();
  const shown = written(value || undefined, zone);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const change = (next: string) => {
    setText(next);
    const instant = instantWritten(next, zone);
    if (next === "") set("");
    else if (instant !== null) set(instant);
  };
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
