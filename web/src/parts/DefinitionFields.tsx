/// The form of a definition: the fields that most jobs use. Each writes its part of the YAML beside it.
import { NativeSelect } from "@mantine/core";
import { fieldOf, type ScheduleKind, scheduleKindOf, withField } from "../format/draft.ts";
import { saysAt } from "../format/place.ts";
import { useSay } from "../words/say.ts";
import { Field, type OfDefinition } from "./DefinitionField.tsx";
import { LimitFields } from "./LimitFields.tsx";
import { PlaceFields } from "./PlaceFields.tsx";

const OVERLAPS = ["skip", "queue", "queue_all", "replace", "allow"] as const;
const KINDS = ["none", "cron", "every"] as const;
const FIRST = { cron: "0 2 * * *", every: "10m" } as const;

export function DefinitionFields({ text, set, errors }: OfDefinition) {
  const say = useSay();
  const all = { text, set, errors };
  const overlap = fieldOf(text, ["overlap"]);
  const chosen = OVERLAPS.find((one) => one === overlap);
  const retries = fieldOf(text, ["retries"]);
  const retriesPath = typeof retries === "object" && retries !== null ? ["retries", "max"] : ["retries"];
  return (
    <>
      <Field {...all} label="edit.description" path={["description"]} />
      <ScheduleFields {...all} />
      <div className="row fields">
        <Field {...all} label="edit.owner" path={["owner"]} />
        <Field {...all} label="edit.group" path={["group"]} />
      </div>
      <div className="row fields">
        <Field {...all} label="edit.timeout" path={["timeout"]} example="10m" />
        <Field {...all} label="edit.retries" path={retriesPath} isNumber example="3" />
      </div>
      <NativeSelect
        label={say("edit.overlap")}
        description={chosen ? say(`overlap.${chosen}`) : say("edit.default")}
        value={chosen ?? ""}
        onChange={(event) => set(withField(text, ["overlap"], event.currentTarget.value || undefined))}
        data={[{ value: "", label: "–" }, ...OVERLAPS]}
        error={saysAt(errors, "overlap")}
        translate="no"
      />
      <PlaceFields {...all} />
      <LimitFields {...all} />
    </>
  );
}

function ScheduleFields({ text, set, errors }: OfDefinition) {
  const say = useSay();
  const all = { text, set, errors };
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
          <Field {...all} label={`expr.${kind}`} path={["schedule", kind]} example={FIRST[kind]} />
          <Field {...all} label="head.zone" path={["schedule", "tz"]} example="Asia/Shanghai" />
        </>
      )}
      {kind === "words" && <Field {...all} label="kindof.words" path={["schedule"]} />}
    </div>
  );
}
