/// Trigger a job: a form out of its JSON Schema, when and how, a look without a run; the same as a command, curl or Python.
import { Button, Checkbox, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey, ProblemError, serverNow } from "../api/call.ts";
import { job as jobQuery } from "../api/queries.ts";
import type { RunOut } from "../api/types.ts";
import { type FormField, fieldsOf, filled } from "../format/schema.ts";
import { asFields } from "../format/snippets.ts";
import { clockTime } from "../format/time.ts";
import { AT_ONCE, type How, howAsked, isAtOnce, isSpecial, isTimed } from "../format/trigger.ts";
import { type Say, useSay } from "../words/say.ts";
import { CopyAs } from "./CopyAs.tsx";
import { useDraft } from "./draft.ts";
import { focusFirstWrong, useFocusBack } from "./focus.ts";
import { ProblemBox } from "./Problem.tsx";
import { useZone } from "./settings.ts";
import { tell } from "./Toasts.tsx";

interface Props {
  name: string;
  namespace: string;
  close: () => void;
}

export function TriggerDialog({ name, namespace, close }: Props) {
  useFocusBack();
  const say = useSay();
  const found = useQuery(jobQuery(namespace, name));
  return (
    <Modal
      opened
      onClose={close}
      title={say("trigger.title", { job: name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      size="lg"
    >
      {found.error && <ProblemBox error={found.error} again={() => void found.refetch()} />}
      {found.data && (
        <TriggerForm name={name} namespace={namespace} schema={found.data.parameters} close={close} />
      )}
    </Modal>
  );
}

const FREE: FormField = {
  name: "",
  kind: "json",
  title: "",
  description: "",
  isNeeded: false,
  choices: new Map(),
  initial: "{}",
  isNullable: false,
};

function TriggerForm({ name, namespace, schema, close }: Props & { schema: Record<string, unknown> | null }) {
  const say = useSay();
  const zone = useZone();
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const isKnown = schema !== null;
  const fields = isKnown ? fieldsOf(schema) : [FREE];
  const [values, keepValues, forgetValues] = useDraft<Record<string, string>>(
    `trigger ${namespace}/${name}`,
    {},
  );
  const [how, keepHow, forgetHow] = useDraft(`trigger how ${namespace}/${name}`, AT_ONCE);
  const [key] = useState(newKey);
  const [isTried, setTried] = useState(false);
  const written = filled(fields, values);
  const params = isKnown ? written.params : ((written.params[""] ?? {}) as Record<string, unknown>);
  const said = howAsked(how, zone);
  const isWhole = isTimed(how, zone);
  const given = { path: { name }, query: { namespace }, body: { params, ...said } };
  const doing = useMutation({
    mutationFn: () => call("trigger_job", { ...given, key }),
    onSuccess: (run) => {
      void client.invalidateQueries();
      forgetValues();
      forgetHow();
      close();
      if (!("id" in run)) return;
      tell(toldOf(run, say, zone), { id: run.id, label: say("trigger.see") });
      if (run.stands_for === null) void navigate({ to: "/runs/$run", params: { run: run.id } });
    },
  });
  const checking = useMutation({
    mutationFn: () => call("trigger_job", { ...given, body: { ...given.body, dry_run: true } }),
  });
  const isBusy = doing.isPending || checking.isPending;
  const error = doing.error ?? checking.error;
  const told = serverErrors(error);
  useEffect(() => {
    if (error) focusFirstWrong(form.current);
  }, [error]);
  const forgetAnswers = () => {
    doing.reset();
    checking.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(written.errors).length > 0) {
      focusFirstWrong(form.current);
      return;
    }
    if (isBusy) return;
    forgetAnswers();
    if (isCheck(event)) checking.mutate();
    else doing.mutate();
  };
  const { overlap, ...options } = said;
  return (
    <form ref={form} className="stack" onSubmit={submit}>
      {isKnown && fields.length === 0 && <p className="soft">{say("trigger.no_params")}</p>}
      {!isKnown && <p className="soft">{say("trigger.unknown")}</p>}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          label={field.name === "" ? say("trigger.json") : field.title}
          value={values[field.name] ?? field.initial}
          error={told[under(field.name)] ?? (isTried ? ownError(say, written.errors[field.name]) : "")}
          set={(value) => {
            forgetAnswers();
            keepValues({ [field.name]: value });
          }}
        />
      ))}
      <HowFields
        how={how}
        told={isWhole ? told : { ...told, at: say("field.half_date") }}
        set={(change) => {
          forgetAnswers();
          keepHow(change);
        }}
      />
      {error && <ProblemBox error={error} />}
      {checking.data && (
        <p className="tone-good" role="status">
          {say("trigger.would", { version: checking.data.version })}
        </p>
      )}
      <div className="row">
        <Button type="submit" loading={doing.isPending} disabled={!isWhole}>
          {say("do.trigger")}
        </Button>
        <Button type="submit" name={CHECK} variant="default" loading={checking.isPending} disabled={!isWhole}>
          {say("trigger.check")}
        </Button>
        <Button variant="default" onClick={close}>
          {say("do.close")}
        </Button>
      </div>
      <CopyAs
        act={{
          verb: "job trigger",
          of: name,
          namespace,
          options: {
            p: asFields(params),
            ...strings(options),
            overlap: overlap ?? undefined,
          },
          asked: asked("trigger_job", given),
          method: {
            name: "jobs.trigger",
            given: Object.keys(params).length === 0 ? [name] : [name, params],
            options: { ...said, namespace },
            answer: "run",
          },
        }}
      />
    </form>
  );
}

/** What became of the trigger: a run of its own, or one that was there and stands for it. */
function toldOf(run: RunOut, say: Say, zone: string): string {
  if (run.stands_for === null) return say("trigger.done", { job: run.job });
  if (run.stands_for === "debounce" && !isAtOnce(run)) {
    const at = clockTime(run.not_before, zone, serverNow());
    return say("trigger.stands_debounce_at", { run: run.id, at });
  }
  return say(`trigger.stands_${run.stands_for}`, { run: run.id });
}

const CHECK = "check";

/** Whether the button was pressed that only looks. */
function isCheck(event: FormEvent): boolean {
  const { submitter } = event.nativeEvent as SubmitEvent;
  return submitter?.getAttribute("name") === CHECK;
}

function strings(options: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
}

interface HowProps {
  how: How;
  told: Record<string, string>;
  set: (change: Partial<How>) => void;
}

/** What a trigger says beside the parameters: a reason, and what is not needed often. */
function HowFields({ how, told, set }: HowProps) {
  const say = useSay();
  const [isOpen, setOpen] = useState(isSpecial(how));
  const isWrong = ["at", "delay", "priority", "key"].some((field) => field in told);
  return (
    <>
      <TextInput
        label={say("do.reason")}
        value={how.reason}
        maxLength={500}
        error={told.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
      <details
        className="fold"
        open={isOpen || isWrong}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className="soft small">{say("trigger.how")}</summary>
        <div className="stack">
          <div className="row fields">
            <TextInput
              type="datetime-local"
              label={say("trigger.at")}
              value={how.at}
              error={told.at}
              onChange={(event) => set({ at: event.currentTarget.value })}
            />
            <TextInput
              label={say("trigger.delay")}
              placeholder="10m"
              value={how.delay}
              error={told.delay}
              onChange={(event) => set({ delay: event.currentTarget.value })}
            />
          </div>
          <div className="row fields">
            <TextInput
              type="number"
              min={1}
              max={10}
              label={say("trigger.priority")}
              value={how.priority}
              error={told.priority}
              onChange={(event) => set({ priority: event.currentTarget.value })}
            />
            <TextInput
              label={say("trigger.key")}
              description={say("trigger.key_says")}
              value={how.key}
              error={told.key}
              onChange={(event) => set({ key: event.currentTarget.value })}
            />
          </div>
          <Checkbox
            label={say("trigger.beside")}
            checked={how.isBeside}
            onChange={(event) => set({ isBeside: event.currentTarget.checked })}
          />
        </div>
      </details>
    </>
  );
}

function ownError(say: Say, error: "needed" | "number" | "json" | undefined): string {
  if (error === undefined) return "";
  return say(error === "json" ? "trigger.bad_json" : `trigger.${error}`);
}

const UNDER = "params";

/** Where the server names a parameter: `params.day`. A parameter of any name is told from the trigger's own fields. */
function under(parameter: string): string {
  return parameter === "" ? UNDER : `${UNDER}.${parameter}`;
}

/** What the server says of each field, by its place in the request. */
function serverErrors(error: Error | null): Record<string, string> {
  if (!(error instanceof ProblemError)) return {};
  return Object.fromEntries((error.problem.errors ?? []).map((one) => [one.path, one.message]));
}

/** What an emptied field means, where it had something in it. */
function whenEmpty(say: Say, field: FormField): string | undefined {
  if (field.initial === "") return undefined;
  if (field.isNullable) return "–";
  return field.kind === "text" ? say("trigger.empty") : field.initial;
}

interface FieldProps {
  field: FormField;
  label: string;
  value: string;
  error: string;
  set: (value: string) => void;
}

function Field({ field, label, value, error, set }: FieldProps) {
  const say = useSay();
  const shown = {
    label: <span translate="no">{label}</span>,
    description: field.description === "" ? undefined : <span translate="no">{field.description}</span>,
    error: error === "" ? undefined : error,
    required: field.isNeeded,
  };
  switch (field.kind) {
    case "switch":
      return (
        <Checkbox
          label={shown.label}
          description={shown.description}
          checked={value === "true"}
          onChange={(event) => set(String(event.currentTarget.checked))}
        />
      );
    case "choice":
      return (
        <NativeSelect
          {...shown}
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
          data={[{ value: "", label: "–" }, ...field.choices.keys()]}
        />
      );
    case "json":
      return (
        <Textarea
          {...shown}
          label={field.name === "" ? say("trigger.json") : shown.label}
          value={value}
          minRows={3}
          rows={4}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...shown}
          type={field.kind === "date" ? "date" : "text"}
          placeholder={whenEmpty(say, field)}
          inputMode={field.kind === "integer" || field.kind === "number" ? "decimal" : "text"}
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
  }
}
