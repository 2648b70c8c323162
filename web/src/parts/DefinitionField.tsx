/// One field of a definition in its form, and fields that are folded away. Each writes its part of the YAML; what is wrong
/// is said at the field.
import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { fieldOf, withField } from "../format/draft.ts";
import { type FieldError, isWhole, saysAt } from "../format/place.ts";
import { useSay, type Word } from "../words/say.ts";

export interface OfDefinition {
  text: string;
  set: (text: string) => void;
  /** What the server says against the definition; each stands at its field. */
  errors: readonly FieldError[];
}

interface FieldProps extends OfDefinition {
  label: Word;
  says?: Word;
  path: readonly string[];
  isNumber?: boolean;
  /** It is a whole number from 1 to this. */
  max?: number;
  example?: string;
}

export function Field({ label, says, text, path, set, errors, isNumber, max, example }: FieldProps) {
  const say = useSay();
  const value = fieldOf(text, path);
  const isThere = value !== undefined && value !== null;
  const isPlain = !isThere || typeof value !== "object";
  const isOff = max !== undefined && isThere && !isWhole(value, max);
  const change = (written: string) => {
    const isFigure = (isNumber || max !== undefined) && /^\d+$/.test(written);
    set(withField(text, path, written === "" ? undefined : isFigure ? Number(written) : written));
  };
  return (
    <TextInput
      label={say(label)}
      description={says && say(isPlain ? says : "kindof.other")}
      value={isPlain ? String(value ?? "") : ""}
      disabled={!isPlain}
      placeholder={example}
      translate="no"
      inputMode={isNumber || max !== undefined ? "numeric" : "text"}
      error={isOff ? say("edit.whole", { max }) : saysAt(errors, path.join("."))}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface LineProps extends OfDefinition {
  path: readonly string[];
  label: Word;
  says: Word;
  /** What is said of a line that cannot be read. */
  form: Word;
  example: string;
  read: (text: string) => object | undefined | null;
  write: (value: unknown) => string | null;
}

/** A mapping on one line. What is written stays as it is while it says the same as the YAML, or nothing yet. */
export function LineField({ text, set, errors, path, label, says, form, example, read, write }: LineProps) {
  const say = useSay();
  const shown = write(fieldOf(text, path));
  const [typed, setTyped] = useState({ line: shown ?? "", says: shown });
  const isTyped = typed.says === shown;
  const line = isTyped ? typed.line : (shown ?? "");
  const isBroken = isTyped && read(line) === null;
  const change = (written: string) => {
    const found = read(written);
    const next = found === null ? shown : write(found);
    setTyped({ line: written, says: next });
    if (found !== null) set(withField(text, path, found));
  };
  return (
    <TextInput
      label={say(label)}
      description={say(shown === null ? "kindof.other" : says)}
      value={line}
      disabled={shown === null}
      placeholder={example}
      translate="no"
      error={isBroken ? say(form, { example }) : saysAt(errors, path.join("."))}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** Whether one of these fields is written, or something is said against it. */
export function isUsed(text: string, errors: readonly FieldError[], paths: readonly string[]): boolean {
  return paths.some(
    (path) => fieldOf(text, path.split(".")) !== undefined || saysAt(errors, path) !== undefined,
  );
}

/** Fields that few jobs use: folded away until they are used or wanted. */
export function FieldsFold({
  label,
  isUsed,
  children,
}: {
  label: Word;
  isUsed: boolean;
  children: ReactNode;
}) {
  const say = useSay();
  const [isWanted, setWanted] = useState<boolean | null>(null);
  const isOpen = isWanted ?? isUsed;
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setWanted(event.currentTarget.open)}>
      <summary>{say(label)}</summary>
      <div className="stack">{children}</div>
    </details>
  );
}
