/// A list as a table: its name, its heads, its rows.
import type { ReactNode } from "react";
import { useSay, type Word } from "../words/say.ts";

interface Props {
  label: string;
  /** The word of each column; a column of numbers stands to the right. */
  heads: (Word | { word: Word; isRight: true })[];
  /** True: a last column for buttons, whose head is only read aloud. */
  hasActions?: boolean;
  /** What stands before the first head. */
  lead?: ReactNode;
  children: ReactNode;
}

export function ListTable({ label, heads, hasActions = false, lead, children }: Props) {
  const say = useSay();
  return (
    <table className="list" aria-label={label}>
      <thead>
        <tr>
          {heads.map((head, at) => {
            if (typeof head === "string") {
              return (
                <th key={head}>
                  {at === 0 && lead}
                  {say(head)}
                </th>
              );
            }
            return (
              <th key={head.word} className="right">
                {say(head.word)}
              </th>
            );
          })}
          {hasActions && (
            <th className="tight">
              <span className="hidden">{say("jobs.actions")}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
