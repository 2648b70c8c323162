/// Trigger a job: a form out of its JSON Schema, and the same trigger as a command, curl or Python to copy.
import { Button, Checkbox, Modal, NativeSelect, Tabs, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, newKey, ProblemError } from "../api/call.ts";
import { job as jobQuery } from "../api/queries.ts";
import { type FormField, fieldsOf, filled } from "../format/schema.ts";
import { asCommand, asCurl, asPython } from "../format/snippets.ts";
import { type Say, useSay } from "../words/say.ts";
import { Command } from "./Command.tsx";
import { useFocusBack } from "./focus.ts";
import { ProblemBox } from "./Problem.tsx";
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
  choices: [],
  initial: "{}",
};

function TriggerForm({ name, namespace, schema, close }: Props & { schema: Record<string, unknown> | null }) {
  const say = useSay();
  const navigate = useNavigate();
  const client = useQueryClient();
  const isKnown = schema !== null;
  const fields = isKnown ? fieldsOf(schema) : [FREE];
  const [values, setValues] = useDraft(`${namespace}/${name}`);
  const [key] = useState(newKey);
  const [isTried, setTried] = useState(false);
  const form = filled(fields, values);
  const params = isKnown ? form.params : ((form.params[""] ?? {}) as Record<string, unknown>);
  const doing = useMutation({
    mutationFn: () => call("trigger_job", { path: { name }, query: { namespace }, body: { params }, key }),
    onSuccess: (run) => {
      void client.invalidateQueries();
      setValues({});
      close();
      if (!("id" in run)) return;
      tell(say("trigger.done", { job: name }), { id: run.id, label: say("trigger.see") });
      void navigate({ to: "/runs/$run", params: { run: run.id } });
    },
  });
  const told = serverErrors(doing.error);
  const set = (field: string, value: string) => {
    setValues({ ...values, [field]: value });
  };
  const trigger = { job: name, namespace, params, server: window.location.origin };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (Object.keys(form.errors).length === 0 && !doing.isPending) doing.mutate();
      }}
    >
      {isKnown && fields.length === 0 && <p className="soft">{say("trigger.no_params")}</p>}
      {!isKnown && <p className="soft">{say("trigger.unknown")}</p>}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          label={field.name === "" ? say("trigger.json") : field.title}
          value={values[field.name] ?? field.initial}
          error={told[field.name] ?? (isTried ? ownError(say, form.errors[field.name]) : "")}
          set={(value) => set(field.name, value)}
        />
      ))}
      {doing.error && <ProblemBox error={doing.error} />}
      <div className="row">
        <Button type="submit" loading={doing.isPending}>
          {say("do.trigger")}
        </Button>
        <Button variant="default" onClick={close}>
          {say("do.close")}
        </Button>
      </div>
      <Tabs defaultValue="cli" keepMounted={false}>
        <Tabs.List aria-label={say("trigger.copy")}>
          <Tabs.Tab value="cli">{say("trigger.cli")}</Tabs.Tab>
          <Tabs.Tab value="curl">
            <span translate="no">curl</span>
          </Tabs.Tab>
          <Tabs.Tab value="python">
            <span translate="no">Python</span>
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="cli">
          <Command text={asCommand(trigger)} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Command text={asCurl(trigger)} />
        </Tabs.Panel>
        <Tabs.Panel value="python">
          <Command text={asPython(trigger)} />
        </Tabs.Panel>
      </Tabs>
    </form>
  );
}

function ownError(say: Say, error: "needed" | "number" | "json" | undefined): string {
  if (error === undefined) return "";
  return say(error === "json" ? "trigger.bad_json" : `trigger.${error}`);
}

/** What the server says of each parameter, by its name. */
function serverErrors(error: Error | null): Record<string, string> {
  if (!(error instanceof ProblemError)) return {};
  const found = error.problem.errors ?? [];
  return Object.fromEntries(found.map((one) => [one.path.replace(/^params\.?/, ""), one.message]));
}

/** What was written stays through errors, an ended session and a reload. */
function useDraft(of: string): [Record<string, string>, (values: Record<string, string>) => void] {
  const place = `foliot.trigger.${of}`;
  const [values, setValues] = useState<Record<string, string>>(() => {
    try {
      return JSON.parse(sessionStorage.getItem(place) ?? "{}") as Record<string, string>;
    } catch {
      return {};
    }
  });
  const keep = (next: Record<string, string>) => {
    setValues(next);
    if (Object.keys(next).length === 0) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
  };
  return [values, keep];
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
          data={[{ value: "", label: "–" }, ...field.choices]}
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
          inputMode={field.kind === "integer" || field.kind === "number" ? "decimal" : "text"}
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
  }
}
