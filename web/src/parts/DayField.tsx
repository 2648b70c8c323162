/// A day to look at. Its year is written digit by digit, or the field is cleared: the page goes on once it is a day again.
import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { isDay } from "../format/day.ts";

interface Props {
  label: string;
  value: string;
  go: (day: string) => void;
}

export function DayField({ label, value, go }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const change = (next: string) => {
    setText(next);
    if (isDay(next)) go(next);
  };
  return (
    <TextInput
      type="date"
      className="grow"
      aria-label={label}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setText(value)}
    />
  );
}
