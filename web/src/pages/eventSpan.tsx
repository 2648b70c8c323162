/// How far back a list of what happened reaches.
import { NativeSelect } from "@mantine/core";
import { useSay } from "../words/say.ts";

const HOURS = { "1h": 1, "24h": 24, "7d": 168 } as const;
const HOUR_MS = 3_600_000;

type Span = keyof typeof HOURS;

/** Since when, to the minute: a filter that moved with each moment would be read anew with each. */
export function sinceOf(span: string | undefined, nowMs: number): string | undefined {
  if (span === undefined || !(span in HOURS)) return undefined;
  const minute = Math.floor(nowMs / 60_000) * 60_000;
  return new Date(minute - HOURS[span as Span] * HOUR_MS).toISOString();
}

export function SpanSelect({ value, set }: { value: string | undefined; set: (span: string) => void }) {
  const say = useSay();
  return (
    <NativeSelect
      aria-label={say("events.span")}
      value={value ?? ""}
      onChange={(event) => set(event.currentTarget.value)}
      data={[
        { value: "", label: say("events.ever") },
        ...(Object.keys(HOURS) as Span[]).map((span) => ({ value: span, label: say(`span.${span}`) })),
      ]}
    />
  );
}
