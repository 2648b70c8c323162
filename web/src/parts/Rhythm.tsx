/// How often a check is to be heard of: an interval, or a cron expression with its zone.
import type { CheckOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";

export function Rhythm({ check }: { check: CheckOut["check"] }) {
  const say = useSay();
  if (typeof check.cron !== "string") {
    return <span className="raw">{say("checks.every", { every: String(check.every ?? "") })}</span>;
  }
  return (
    <span translate="no">
      <span className="mono nowrap">{check.cron}</span>{" "}
      <span className="soft small nowrap">{typeof check.timezone === "string" ? check.timezone : "UTC"}</span>
    </span>
  );
}
