/// The text field of a filter.
import { TextInput } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import { useSay } from "../words/say.ts";

/** Short enough to be felt as at once; an answer that is no longer wanted is not awaited. */
const WRITTEN_MS = 40;

/** What is written reaches the address when the user pauses, and the address reaches the field. */
export function FilterText({
  value,
  set,
  hint,
  choices,
  max,
}: {
  value: string;
  set: (value: string) => void;
  hint?: string;
  /** What can be written, as far as it is known. */
  choices?: string[];
  /** How many letters it takes. */
  max?: number;
}) {
  const say = useSay();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is written starts the wait
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => set(text), WRITTEN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const label = hint ?? say("jobs.filter_hint");
  const listId = useId();
  return (
    <>
      <TextInput
        className="wide"
        data-filter
        aria-label={label}
        placeholder={label}
        value={text}
        list={choices && listId}
        maxLength={max}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {choices && (
        <datalist id={listId}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
