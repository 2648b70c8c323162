/// Instants and durations on the page, each with its exact value in a title.
import { clockTime, duration, exactTime, secondsUntil, type Units } from "../format/time.ts";
import { type Say, useSay, useUnits } from "../words/say.ts";
import { useNow, useOfNow, useZone } from "./settings.ts";

export function At({ iso }: { iso: string }) {
  const zone = useZone();
  const text = useOfNow((now) => clockTime(iso, zone, now));
  return (
    <time dateTime={iso} title={exactTime(iso, zone)} className="nowrap">
      {text}
    </time>
  );
}

/** `in 42 s` or `3 m ago`. */
export function FromNow({ iso }: { iso: string }) {
  const zone = useZone();
  const say = useSay();
  const units = useUnits();
  const text = useOfNow((now) => fromNow(iso, now, say, units));
  return (
    <span title={exactTime(iso, zone)} className="nowrap">
      {text}
    </span>
  );
}

export function useFromNow(): (iso: string) => string {
  const say = useSay();
  const units = useUnits();
  const now = useNow();
  return (iso) => fromNow(iso, now, say, units);
}

function fromNow(iso: string, now: number, say: Say, units: Units): string {
  const seconds = Math.round(secondsUntil(iso, now));
  if (seconds === 0) return say("time.now");
  return say(seconds > 0 ? "time.in" : "time.ago", { span: duration(seconds, units) });
}

export function Took({ seconds }: { seconds: number | null | undefined }) {
  const units = useUnits();
  if (seconds === null || seconds === undefined) return null;
  return (
    <span title={`${seconds} ${units.s}`} className="nowrap">
      {duration(seconds, units)}
    </span>
  );
}

/** Time since an instant, going on. */
export function Since({ iso }: { iso: string }) {
  const units = useUnits();
  const seconds = useOfNow((now) => Math.max(0, Math.round(-secondsUntil(iso, now))));
  return <span className="nowrap">{duration(seconds, units)}</span>;
}
