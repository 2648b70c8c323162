/// The group that a list is of: written, or chosen from those that were seen.
import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useState } from "react";
import { seenGroups } from "../api/queries.ts";
import { useSay } from "../words/say.ts";

/** A group is named whole: what is half written filters nothing. Enter, another place or a choice says that it is whole. */
export function GroupFilter({ value, set }: { value: string; set: (group: string) => void }) {
  const say = useSay();
  const client = useQueryClient();
  const listId = useId();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState<string[]>([]);
  useEffect(() => setText(value), [value]);
  const done = (written: string) => {
    if (written.trim() !== value) set(written.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        done(text);
      }}
    >
      <TextInput
        aria-label={say("jobs.group")}
        placeholder={say("jobs.any_group")}
        value={text}
        list={listId}
        spellCheck={false}
        onFocus={() => setKnown(seenGroups(client))}
        onBlur={() => done(text)}
        onChange={(event) => {
          const written = event.currentTarget.value;
          setText(written);
          if (written === "" || (isChosen(event) && known.includes(written))) done(written);
        }}
      />
      <datalist id={listId}>
        {known.map((group) => (
          <option key={group} value={group} />
        ))}
      </datalist>
    </form>
  );
}

/** Whether it came whole from the list below the field, not letter by letter. */
function isChosen(event: FormEvent): boolean {
  const { nativeEvent } = event;
  return !(nativeEvent instanceof InputEvent) || nativeEvent.inputType === "insertReplacementText";
}
