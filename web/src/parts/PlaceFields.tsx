/// The part of the form that says where a job runs, how many of its runs may wait, and what becomes of triggers that come
/// close together. Each field writes its part of the YAML; what is wrong is said at the field.
import { NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { fieldOf, withField } from "../format/draft.ts";
import {
  type FieldError,
  fromParts,
  isRate,
  isWaitingMax,
  partsOf,
  ROUTES,
  readLabels,
  readWishes,
  saysAt,
  WAITING_MAX,
  writeLabels,
  writeWishes,
} from "../format/place.ts";
import { useSay, type Word } from "../words/say.ts";

const KEYED = ["consistent_hash", "sticky"];

interface Props {
  text: string;
  set: (text: string) => void;
  errors: readonly FieldError[];
}

export function PlaceFields(props: Props) {
  const { text, errors } = props;
  return (
    <>
      <Fold label="edit.place" isUsed={isUsed(text, errors, "place")}>
        <RouteFields {...props} />
        <LabelsField {...props} {...REQUIRE} />
        <LabelsField {...props} {...PREFER} />
        <LabelsField {...props} {...AVOID} />
        <div className="row fields">
          <SpreadField {...props} />
          <WaitingField {...props} />
        </div>
      </Fold>
      <Fold
        label="edit.windows"
        isUsed={isUsed(text, errors, "debounce") || isUsed(text, errors, "throttle")}
      >
        <WindowFields {...props} name="debounce" parts={DEBOUNCE} />
        <WindowFields {...props} name="throttle" parts={THROTTLE} />
      </Fold>
    </>
  );
}

function isUsed(text: string, errors: readonly FieldError[], name: string): boolean {
  return fieldOf(text, [name]) !== undefined || saysAt(errors, name) !== undefined;
}

/** Fields that few jobs use: folded away until they are used or wanted. */
function Fold({ label, isUsed, children }: { label: Word; isUsed: boolean; children: ReactNode }) {
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

function RouteFields({ text, set, errors }: Props) {
  const say = useSay();
  const value = fieldOf(text, ["place", "route"]);
  const parts = partsOf(value, "name", ["by"]);
  const { name = "", by = "" } = parts ?? {};
  const known = ROUTES.find((one) => one === name);
  const change = (next: { name: string; by: string }) =>
    set(withField(text, ["place", "route"], fromParts(next, "name")));
  const names = ["", ...ROUTES, ...(name === "" || known ? [] : [name])];
  const says = known ? say(`route.${known}`) : name === "" ? say("edit.default") : "";
  return (
    <div className="row fields">
      <NativeSelect
        label={say("edit.route")}
        description={parts ? says : say("kindof.other")}
        value={name}
        disabled={parts === null}
        error={saysAt(errors, "place.route", true) ?? saysAt(errors, "place.route.name")}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          change({ name: chosen, by: KEYED.includes(chosen) ? by : "" });
        }}
        data={names.map((one) => ({ value: one, label: one || "–" }))}
        translate="no"
      />
      {(KEYED.includes(name) || by !== "") && (
        <TextInput
          label={say("edit.by")}
          description={say("edit.by_says")}
          value={by}
          placeholder="customer"
          error={saysAt(errors, "place.route.by")}
          onChange={(event) => change({ name, by: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

interface LabelsOf {
  name: string;
  label: Word;
  says: Word;
  example: string;
  read: (text: string) => object | undefined | null;
  write: (value: unknown) => string | null;
}

const REQUIRE: LabelsOf = {
  name: "require",
  label: "edit.require",
  says: "edit.require_says",
  example: "gpu=yes, zone=cn",
  read: readLabels,
  write: writeLabels,
};
const PREFER: LabelsOf = {
  name: "prefer",
  label: "edit.prefer",
  says: "edit.prefer_says",
  example: "disk=ssd*5",
  read: readWishes,
  write: writeWishes,
};
const AVOID: LabelsOf = {
  ...REQUIRE,
  name: "avoid",
  label: "edit.avoid",
  says: "edit.avoid_says",
  example: "spot=yes",
};

/** A list of labels on one line. What is written stays as it is while it says the same as the YAML, or nothing yet. */
function LabelsField({ text, set, errors, name, label, says, example, read, write }: Props & LabelsOf) {
  const say = useSay();
  const path = ["place", name];
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
      error={isBroken ? say("edit.labels_form", { example }) : saysAt(errors, `place.${name}`)}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function SpreadField({ text, set, errors }: Props) {
  const say = useSay();
  const value = fieldOf(text, ["place", "spread"]);
  const isPlain = typeof value !== "object" || value === null;
  return (
    <TextInput
      label={say("edit.spread")}
      description={say("edit.spread_says")}
      value={isPlain ? String(value ?? "") : ""}
      disabled={!isPlain}
      placeholder="zone"
      error={saysAt(errors, "place.spread")}
      onChange={(event) => set(withField(text, ["place", "spread"], event.currentTarget.value || undefined))}
    />
  );
}

function WaitingField({ text, set, errors }: Props) {
  const say = useSay();
  const value = fieldOf(text, ["place", "max_waiting"]);
  const isOff = value !== undefined && value !== null && !isWaitingMax(value);
  const change = (written: string) => {
    const wanted = /^\d+$/.test(written) ? Number(written) : written || undefined;
    set(withField(text, ["place", "max_waiting"], wanted));
  };
  return (
    <TextInput
      label={say("edit.max_waiting")}
      description={say("edit.max_waiting_says")}
      value={typeof value === "object" ? "" : String(value ?? "")}
      placeholder="100"
      inputMode="numeric"
      error={isOff ? say("edit.whole", { max: WAITING_MAX }) : saysAt(errors, "place.max_waiting")}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface Part {
  name: string;
  label: Word;
  says: Word;
  example: string;
}

const BY: Part = { name: "by", label: "edit.by", says: "edit.by_says", example: "customer" };
const DEBOUNCE: readonly [Part, ...Part[]] = [
  { name: "quiet", label: "edit.debounce", says: "edit.debounce_says", example: "10s" },
  { name: "at_most", label: "edit.at_most", says: "edit.at_most_says", example: "1m" },
  BY,
];
const THROTTLE: readonly [Part, ...Part[]] = [
  { name: "rate", label: "edit.throttle", says: "edit.throttle_says", example: "1/10s" },
  BY,
];

interface WindowProps extends Props {
  name: string;
  parts: readonly [Part, ...Part[]];
}

/** A window of triggers: one text, or a mapping with more. The other parts show when the first is written. */
function WindowFields({ text, set, errors, name, parts }: WindowProps) {
  const say = useSay();
  const [main, ...others] = parts;
  const found = partsOf(
    fieldOf(text, [name]),
    main.name,
    others.map((part) => part.name),
  );
  const written = found ?? {};
  const shown = Object.keys(written).length > 0 ? parts : [main];
  const errorOf = (part: Part) => {
    const value = written[part.name] ?? "";
    if (part.name === "rate" && value !== "" && !isRate(value))
      return say("edit.rate_form", { example: part.example });
    const whole = part === main ? saysAt(errors, name, true) : undefined;
    return whole ?? saysAt(errors, `${name}.${part.name}`);
  };
  return (
    <div className="row fields">
      {shown.map((part) => (
        <TextInput
          key={part.name}
          label={say(part.label)}
          description={say(found === null ? "kindof.other" : part.says)}
          value={written[part.name] ?? ""}
          disabled={found === null}
          placeholder={part.example}
          error={errorOf(part)}
          onChange={(event) => {
            const next = { ...written, [part.name]: event.currentTarget.value };
            set(withField(text, [name], fromParts(next, main.name)));
          }}
        />
      ))}
    </div>
  );
}
