/// Field by field: what was, and what is.
import type { ReactNode } from "react";
import { useSay } from "../words/say.ts";
import { Raw } from "./Raw.tsx";

export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

interface Props {
  changes: FieldChange[];
  before: string;
  after: string;
  act?: (change: FieldChange) => ReactNode;
}

export function ChangeTable({ changes, before, after, act }: Props) {
  const say = useSay();
  return (
    <table className="list">
      <thead>
        <tr>
          <th>{say("job.diff_field")}</th>
          <th>{before}</th>
          <th>{after}</th>
          {act && (
            <th className="tight">
              <span className="hidden">{say("jobs.actions")}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.path}>
            <td className="first">
              <Raw mono>{change.path}</Raw>
            </td>
            <td className="tone-bad">
              <Raw mono>{written(change.before)}</Raw>
            </td>
            <td className="tone-good">
              <Raw mono>{written(change.after)}</Raw>
            </td>
            {act && <td className="tight">{act(change)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function written(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
