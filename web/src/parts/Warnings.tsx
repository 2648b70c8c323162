/// What works, but perhaps not as meant: what happens, and what to write instead.
import type { WarningOut } from "../api/types.ts";

export function Warnings({ of }: { of: readonly WarningOut[] }) {
  return of.map((warning) => (
    <p key={warning.code + warning.message} className="tone-wait">
      ▲ {warning.message} {warning.hint && <span className="soft">{warning.hint}</span>}
    </p>
  ));
}
