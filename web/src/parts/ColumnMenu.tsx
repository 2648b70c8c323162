/// The choice of the columns of the list of jobs: all that there are, those that are shown with a mark.
import { Button, Menu } from "@mantine/core";
import { COLUMNS, type Column, toggled, USUAL } from "../format/columns.ts";
import { useSay, type Word } from "../words/say.ts";

export const COLUMN_WORDS: Record<Column, Word> = {
  group: "jobs.group",
  owner: "jobs.owner",
  schedule: "jobs.schedule",
  next: "jobs.next",
  last: "jobs.last",
  strip: "jobs.strip",
  p95: "jobs.p95",
  success: "jobs.success",
};

interface Props {
  shown: readonly Column[];
  choose: (columns: readonly Column[]) => void;
}

export function ColumnMenu({ shown, choose }: Props) {
  const say = useSay();
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="default">{say("jobs.columns")}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {COLUMNS.map((column) => (
          <Menu.CheckboxItem
            key={column}
            checked={shown.includes(column)}
            onChange={() => choose(toggled(shown, column))}
          >
            {say(COLUMN_WORDS[column])}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => choose(USUAL)}>{say("jobs.columns_usual")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
