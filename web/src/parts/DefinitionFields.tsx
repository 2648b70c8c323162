/// The form of a definition: the fields that most jobs use. Each writes its part of the YAML beside it.
import { NativeSelect, TextInput } from "@mantine/core";
import { fieldOf, type ScheduleKind, scheduleKindOf, withField } from "../format/draft.ts";
import { useSay, type Word } from "../words/say.ts";

const OVERLAPS = ["skip", "queue", "queue_all", "replace", "allow"] as const;
const KINDS = ["none", "cron", "every"] as const;
const FIRST = { cron: "0 2 * * *", every: "10m" } as const;

interface Props {
  text: string;
  set: (text: string) => void;
}

export function DefinitionFields({ text, set }: Props) {
  const say = useSay();
  const overlap = fieldOf(text, ["overlap"]);
  const chosen = OVERLAPS.find((one) => one === overlap);
  const retries = fieldOf(text, ["retries"]);
  const retriesPath = typeof retries === "object" && retries !== null ? ["retries", "max"] : ["retries"];
  return (
    <>
      <Field label="edit.description" text={text} path={["description"]} set={set} />
      <ScheduleFields text={text} set={set} />
      <div className="row fields">
        <Field label="edit.owner" text={text} path={["owner"]} set={set} />
        <Field label="edit.group" text={text} path={["group"]} set={set} />
      </div>
      <div className="row fields">
        <Field label="edit.timeout" text={text} path={["timeout"]} set={set} example="10m" />
        <Field label="edit.retries" text={text} path={retriesPath} set={set} isNumber example="3" />
      </div>
      <NativeSelect
        label={say("edit.overlap")}
        description={chosen ? say(`overlap.${chosen}`) : say("edit.default")}
        value={chosen ?? ""}
        onChange={(event) => set(withField(text, ["overlap"], event.currentTarget.value || undefined))}
        data={[{ value: "", label: "–" }, ...OVERLAPS]}
        translate="no"
      />
    </>
  );
}

function ScheduleFields({ text, set }: Props) {
  const say = useSay();
  const kind = scheduleKindOf(fieldOf(text, ["schedule"]));
  const kinds: ScheduleKind[] = [...KINDS, ...(kind === "words" || kind === "other" ? [kind] : [])];
  const choose = (wanted: ScheduleKind) => {
    if (wanted === "none") set(withField(text, ["schedule"], undefined));
    else if (wanted === "cron" || wanted === "every")
      set(withField(text, ["schedule"], { [wanted]: FIRST[wanted] }));
  };
  return (
    <div className="row fields">
      <NativeSelect
        label={say("jobs.schedule")}
        value={kind}
        onChange={(event) => choose(event.currentTarget.value as ScheduleKind)}
        data={kinds.map((one) => ({ value: one, label: say(`kindof.${one}`) }))}
      />
      {(kind === "cron" || kind === "every") && (
        <>
          <Field
            label={`kindof.${kind}`}
            text={text}
            path={["schedule", kind]}
            set={set}
            example={FIRST[kind]}
          />
          <Field label="head.zone" text={text} path={["schedule", "tz"]} set={set} example="Asia/Shanghai" />
        </>
      )}
      {kind === "words" && <Field label="kindof.words" text={text} path={["schedule"]} set={set} />}
    </div>
  );
}

interface FieldProps extends Props {
  label: Word;
  path: readonly string[];
  isNumber?: boolean;
  example?: string;
}

function Field({ label, text, path, set, isNumber = false, example }: FieldProps) {
  const say = useSay();
  const value = fieldOf(text, path);
  const isPlain = value === undefined || value === null || typeof value !== "object";
  const change = (written: string) => {
    const isWhole = isNumber && /^\d+$/.test(written);
    set(withField(text, path, written === "" ? undefined : isWhole ? Number(written) : written));
  };
  return (
    <TextInput
      label={say(label)}
      value={isPlain ? String(value ?? "") : ""}
      disabled={!isPlain}
      placeholder={example}
      inputMode={isNumber ? "numeric" : "text"}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
