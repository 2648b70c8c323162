/// The part of the form that says how many runs of a job execute at a time and how many may start in a time: of the whole
/// job, on a worker, for a value of a parameter, of a named limit.
import { BURST_MAX, RUNNING_MAX, readCounts, writeCounts } from "../format/place.ts";
import type { Word } from "../words/say.ts";
import { Field, FieldsFold, isUsed, LineField, type OfDefinition } from "./DefinitionField.tsx";

const NAMES = [
  "max_running",
  "max_per_worker",
  "max_per_key",
  "concurrency_by",
  "rate",
  "rate_burst",
  "rate_by",
  "concurrency",
  "takes",
] as const;

export function LimitFields(props: OfDefinition) {
  const { text, errors } = props;
  const paths = NAMES.map((name) => `place.${name}`);
  return (
    <FieldsFold label="edit.limits" isUsed={isUsed(text, errors, paths)}>
      <div className="row fields">
        <Limit {...props} name="max_running" max={RUNNING_MAX} example="4" />
        <Limit {...props} name="max_per_worker" max={RUNNING_MAX} example="2" />
      </div>
      <div className="row fields">
        <Limit {...props} name="max_per_key" max={RUNNING_MAX} example="1" />
        <Limit {...props} name="concurrency_by" example="customer" />
      </div>
      <div className="row fields">
        <Limit {...props} name="rate" example="100/m" />
        <Limit {...props} name="rate_burst" max={BURST_MAX} example="20" />
        <Limit {...props} name="rate_by" example="customer" />
      </div>
      <Counts {...props} name="concurrency" example="settle-db=4" />
      <Counts {...props} name="takes" example="settle-db=3" />
    </FieldsFold>
  );
}

interface LimitProps extends OfDefinition {
  name: (typeof NAMES)[number];
  example: string;
  max?: number;
}

function Limit({ name, ...rest }: LimitProps) {
  return <Field {...rest} path={["place", name]} {...wordsOf(name)} />;
}

function Counts({ name, ...rest }: LimitProps) {
  const form = { form: "edit.counts_form", read: readCounts, write: writeCounts } as const;
  return <LineField {...rest} {...form} path={["place", name]} {...wordsOf(name)} />;
}

function wordsOf(name: LimitProps["name"]): { label: Word; says: Word } {
  return { label: `limited.${name}`, says: `limited.${name}_says` };
}
