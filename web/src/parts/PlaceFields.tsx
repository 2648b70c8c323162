/// The part of the form that says where a job runs, how many of its runs may wait, and what becomes of triggers that come
/// close together.
import { NativeSelect, TextInput } from "@mantine/core";
import { fieldOf, withField } from "../format/draft.ts";
import {
  fromParts,
  isRate,
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
import { Field, FieldsFold, isUsed, LineField, type OfDefinition } from "./DefinitionField.tsx";

const KEYED = ["consistent_hash", "sticky"];

const PLACE = ["route", "require", "prefer", "avoid", "spread", "max_waiting"].map((name) => `place.${name}`);

export function PlaceFields(props: OfDefinition) {
  const { text, errors } = props;
  return (
    <>
      <FieldsFold label="edit.place" isUsed={isUsed(text, errors, PLACE)}>
        <RouteFields {...props} />
        <LineField {...props} {...REQUIRE} />
        <LineField {...props} {...PREFER} />
        <LineField {...props} {...AVOID} />
        <div className="row fields">
          <Field {...props} {...SPREAD} />
          <Field {...props} {...WAITING} />
        </div>
      </FieldsFold>
      <FieldsFold label="edit.windows" isUsed={isUsed(text, errors, ["debounce", "throttle"])}>
        <WindowFields {...props} name="debounce" parts={DEBOUNCE} />
        <WindowFields {...props} name="throttle" parts={THROTTLE} />
      </FieldsFold>
    </>
  );
}

function RouteFields({ text, set, errors }: OfDefinition) {
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
          translate="no"
          error={saysAt(errors, "place.route.by")}
          onChange={(event) => change({ name, by: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

const REQUIRE = {
  path: ["place", "require"],
  label: "edit.require",
  says: "edit.require_says",
  form: "edit.labels_form",
  example: "gpu=yes, zone=cn",
  read: readLabels,
  write: writeLabels,
} as const;
const PREFER = {
  ...REQUIRE,
  path: ["place", "prefer"],
  label: "edit.prefer",
  says: "edit.prefer_says",
  example: "disk=ssd*5",
  read: readWishes,
  write: writeWishes,
} as const;
const AVOID = {
  ...REQUIRE,
  path: ["place", "avoid"],
  label: "edit.avoid",
  says: "edit.avoid_says",
  example: "spot=yes",
} as const;

const SPREAD = {
  path: ["place", "spread"],
  label: "edit.spread",
  says: "edit.spread_says",
  example: "zone",
} as const;
const WAITING = {
  path: ["place", "max_waiting"],
  label: "edit.max_waiting",
  says: "edit.max_waiting_says",
  example: "100",
  max: WAITING_MAX,
} as const;

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

interface WindowProps extends OfDefinition {
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
          translate="no"
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
