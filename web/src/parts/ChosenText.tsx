/// A filter by a name: names are offered while it is written, and the list changes when one of them is meant.
import { TextInput } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import { meantBy, namedBy } from "../format/chosen.ts";
import { useSay } from "../words/say.ts";
import { Raw } from "./Raw.tsx";

interface Props {
  value: string;
  set: (value: string) => void;
  label: string;
  /** The names that have the text in them, when they are known; asked for only while somebody writes. */
  useNames: (text: string) => string[] | undefined;
  /** True: the key of filters leads here. */
  isMain?: boolean;
}

export function ChosenText({ value, set, label, useNames, isMain = false }: Props) {
  const say = useSay();
  const [text, setText] = useState(value);
  const [isTyped, setTyped] = useState(false); // a filter that was cleared elsewhere is not chosen again
  const listId = useId();
  useEffect(() => {
    setText(value);
    setTyped(false);
  }, [value]);
  const isWritten = isTyped && text !== value && text.trim() !== "";
  const names = useNames(isWritten ? text.trim() : "");
  const named = isWritten && names ? namedBy(text.trim(), names) : null;
  useEffect(() => {
    if (named !== null) set(named);
  }, [named, set]);
  const change = (next: string) => {
    setText(next);
    setTyped(true);
    if (next === "") set("");
  };
  return (
    <>
      <TextInput
        className="wide"
        {...(isMain ? { "data-filter": true } : {})}
        aria-label={label}
        placeholder={label}
        value={text}
        list={listId}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && isWritten) set(meantBy(text.trim(), names ?? []));
        }}
      />
      <datalist id={listId}>{isWritten && names?.map((name) => <option key={name} value={name} />)}</datalist>
      <span role="status" className="soft small">
        {isWritten && names && <Meant text={text.trim()} names={names} none={say("choose.none")} />}
      </span>
    </>
  );
}

function Meant({ text, names, none }: { text: string; names: string[]; none: string }) {
  const say = useSay();
  if (names.length === 0) return none;
  return (
    <>
      {say("choose.enter")} <Raw>{meantBy(text, names)}</Raw>
    </>
  );
}
