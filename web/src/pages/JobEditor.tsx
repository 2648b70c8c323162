/// The editor of a job: form and YAML side by side, what it means while it is written, the difference before it is saved,
/// and the conflict field by field when somebody else was faster.
import { Button, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey, ProblemError } from "../api/call.ts";
import { job as jobQuery, whoami } from "../api/queries.ts";
import type { DefinitionForm, ValidOut } from "../api/types.ts";
import { fieldOf, withField } from "../format/draft.ts";
import type { FieldError } from "../format/place.ts";
import { fromYaml, toYaml } from "../format/yaml.ts";
import { ChangeTable, type FieldChange } from "../parts/ChangeTable.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { DefinitionFields } from "../parts/DefinitionFields.tsx";
import { useDraft } from "../parts/draft.ts";
import { focusFirstWrong } from "../parts/focus.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { NamespaceField } from "../parts/NamespaceField.tsx";
import { NextFires } from "../parts/NextFires.tsx";
import { ProblemBox } from "../parts/Problem.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useNamespace } from "../parts/settings.ts";
import { tell } from "../parts/Toasts.tsx";
import { Warnings } from "../parts/Warnings.tsx";
import { useSay } from "../words/say.ts";

const WRITTEN_MS = 400;
/** What a definition is checked with until the user has written a name: an empty form has done nothing wrong. */
const NAMELESS = "nameless";
const FIRST = "run:\n  python: jobs:hello\nschedule:\n  cron: 0 2 * * *\n";

/** What is edited is what was read at first: changes of others show when it is saved, not under the hands. Who comes back reads anew. */
const edited = (namespace: string, name: string) => ({
  ...jobQuery(namespace, name),
  queryKey: ["edited", namespace, name],
  staleTime: Infinity,
  gcTime: 0,
});

export function EditJobPage() {
  const { namespace, name } = useParams({ from: "/jobs/$namespace/$name/edit" });
  const query = useQuery(edited(namespace, name));
  return (
    <Loaded query={query} rows={10}>
      {(job) => (
        <Editor
          key={job.version}
          namespace={namespace}
          name={name}
          version={job.version}
          saved={toYaml(job.definition)}
        />
      )}
    </Loaded>
  );
}

export function NewJobPage() {
  const { from } = useSearch({ from: "/jobs/new" });
  const { data: who } = useQuery(whoami());
  const chosen = useNamespace() || who?.namespace || "default";
  if (from === undefined) return <Editor namespace={chosen} name="" version={0} saved={FIRST} />;
  const at = from.indexOf("/");
  return <Clone namespace={from.slice(0, at)} name={from.slice(at + 1)} />;
}

/** A new job with the definition of another; nothing of it is kept until it is saved. */
function Clone({ namespace, name }: { namespace: string; name: string }) {
  const query = useQuery(edited(namespace, name));
  return (
    <Loaded query={query} rows={10}>
      {(job) => (
        <Editor namespace={namespace} name={`${name}-copy`} version={0} saved={toYaml(job.definition)} />
      )}
    </Loaded>
  );
}

interface Draft {
  name: string;
  namespace: string;
  text: string;
  version: number;
  reason: string;
}

interface EditorProps {
  namespace: string; // of a new job: where it is made, unless another is written
  name: string;
  version: number; // 0: a new job
  saved: string;
}

function Editor({ namespace, name, version, saved }: EditorProps) {
  const say = useSay();
  const navigate = useNavigate();
  const client = useQueryClient();
  const isNew = version === 0;
  const [draft, set, forget] = useDraft<Draft>(`edit ${isNew ? "new " : ""}${namespace}/${name}`, {
    name,
    namespace,
    text: saved,
    version,
    reason: "",
  });
  const form = useRef<HTMLFormElement>(null);
  const [key] = useState(newKey);
  const { text, reason } = draft;
  const [settled] = useDebouncedValue(text, WRITTEN_MS);
  const read = fromYaml(text);
  const broken = "says" in read ? say("edit.broken", { line: read.line, says: read.says }) : "";
  const query = { namespace: draft.namespace };
  const checked = useQuery({
    queryKey: ["checked", draft.namespace, draft.name, settled],
    queryFn: ({ signal }) => {
      const found = fromYaml(settled);
      const definition = ("value" in found ? found.value : {}) as unknown as DefinitionForm;
      return call("validate_job", { query, body: { name: draft.name || NAMELESS, definition }, signal });
    },
    enabled: broken === "" && settled === text,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const definition = ("value" in read ? read.value : {}) as unknown as DefinitionForm;
  const made = { query, body: { name: draft.name, definition, reason } };
  const headers = { "If-Match": `"v${draft.version}"` };
  const changed = { path: { name }, query, body: { definition, reason }, headers };
  const saving = useMutation({
    mutationFn: () => (isNew ? call("create_job", { ...made, key }) : call("put_job", { ...changed, key })),
    onSuccess: (job) => {
      forget();
      void client.invalidateQueries();
      tell(say("edit.saved", { job: job.name, version: job.version }));
      void navigate({
        to: "/jobs/$namespace/$name",
        params: { namespace: job.namespace, name: job.name },
        search: { tab: "versions" },
      });
    },
  });
  // When what is wrong stands at its field: the first is where to write on.
  useEffect(() => {
    if (saving.error) focusFirstWrong(form.current);
  }, [saving.error]);
  const conflict = conflictOf(saving.error);
  const refusals = broken === "" ? errorsOf(checked.error ?? saving.error) : [];
  const changes = checked.data?.changes ?? [];
  const isSame = !isNew && checked.data !== undefined && settled === text && changes.length === 0;
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!saving.isPending && broken === "") saving.mutate();
      }}
    >
      <div className="title">
        <h1>
          {say(isNew ? "edit.new" : "do.edit")} <Raw>{isNew ? "" : name}</Raw>
        </h1>
        <div className="acts">
          {draft.text !== saved && (
            <Button variant="default" onClick={forget}>
              {say("edit.discard")}
            </Button>
          )}
          <Button type="submit" loading={saving.isPending} disabled={broken !== "" || isSame}>
            {say("do.save")}
          </Button>
        </div>
      </div>
      {conflict && (
        <Conflict
          conflict={conflict}
          takeTheirs={(field) => {
            const theirs = conflict.definition[field];
            set({ text: withField(text, [field], theirs ?? undefined) });
          }}
          goOn={() => {
            set({ version: conflict.version });
            saving.reset();
          }}
        />
      )}
      {saving.error && !conflict && <ProblemBox error={saving.error} />}
      <div className="columns even">
        <div className="stack">
          {isNew && (
            <TextInput
              label={say("jobs.name")}
              required
              value={draft.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
              autoFocus
              onFocus={(event) => event.currentTarget.select()}
            />
          )}
          {isNew && <NamespaceField value={draft.namespace} set={(wanted) => set({ namespace: wanted })} />}
          <DefinitionFields text={text} set={(next) => set({ text: next })} errors={refusals} />
          <TextInput
            label={say("do.reason")}
            description={say("do.reason_hint")}
            value={reason}
            maxLength={500}
            onChange={(event) => set({ reason: event.currentTarget.value })}
          />
          <FoldedCopyAs
            act={{
              asked: isNew ? asked("create_job", made) : asked("put_job", changed),
              method: {
                name: isNew ? "jobs.create" : "jobs.put",
                given: [draft.name, definition],
                options: { if_version: isNew ? undefined : draft.version, reason, ...query },
              },
            }}
          />
        </div>
        <div className="stack">
          <Textarea
            label={say("edit.yaml")}
            classNames={{ input: "mono" }}
            value={text}
            autosize
            minRows={14}
            maxRows={30}
            spellCheck={false}
            translate="no"
            error={broken || undefined}
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
          {checked.error && <Refusal error={checked.error} />}
          {checked.data && !checked.error && <Meaning found={checked.data} isNew={isNew} />}
        </div>
      </div>
    </form>
  );
}

/** What the server says against it, field by field. */
function Refusal({ error }: { error: Error }) {
  const errors = errorsOf(error);
  if (errors.length === 0) return <ProblemBox error={error} />;
  return (
    <div className="problem" role="status">
      {errors.map((one) => (
        <p key={one.path}>
          <code translate="no">{one.path}</code> {one.message}
        </p>
      ))}
    </div>
  );
}

function Meaning({ found, isNew }: { found: ValidOut; isNew: boolean }) {
  const say = useSay();
  const own = fieldOf(toYaml(found.definition), ["schedule", "tz"]); // of what was checked, not of what is written now
  return (
    <div className="stack" role="status">
      {found.schedule && (
        <p>
          <b>{found.schedule}</b>
        </p>
      )}
      <NextFires instants={found.next} own={own} />
      {!found.is_offered && <p className="tone-wait">▲ {say("edit.not_offered")}</p>}
      <Warnings of={found.warnings} />
      {!isNew && found.changes.length === 0 && <p className="soft">{say("edit.same")}</p>}
      {found.changes.length > 0 && (
        <section aria-labelledby="difference">
          <h2 id="difference">{say("edit.difference")}</h2>
          <ChangeTable changes={found.changes} before={say("edit.now")} after={say("edit.then")} />
        </section>
      )}
    </div>
  );
}

function errorsOf(error: Error | null): readonly FieldError[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

interface ConflictOf {
  version: number;
  by: string;
  says: string;
  definition: Record<string, unknown>;
  changes: FieldChange[];
}

/** What the server tells with 412: the present job, and how it differs from what was sent. */
export function conflictOf(error: Error | null): ConflictOf | null {
  if (!(error instanceof ProblemError) || error.status !== 412 || !error.problem.current) return null;
  const { current, changes, detail } = error.problem;
  return {
    version: Number(current.version),
    by: String(current.updated_by ?? ""),
    says: detail ?? "",
    definition: (current.definition ?? {}) as Record<string, unknown>,
    changes: (changes ?? []) as unknown as FieldChange[],
  };
}

interface ConflictProps {
  conflict: ConflictOf;
  takeTheirs: (field: string) => void;
  goOn: () => void;
}

function Conflict({ conflict, takeTheirs, goOn }: ConflictProps) {
  const say = useSay();
  const [taken, setTaken] = useState<string[]>([]);
  return (
    <section className="problem" aria-labelledby="conflict">
      <h2 id="conflict">{say("edit.conflict")}</h2>
      <p>{conflict.says}</p>
      <ChangeTable
        changes={conflict.changes}
        before={say("edit.mine")}
        after={say("edit.theirs")}
        act={(change) => {
          const field = change.path.split(/[.[]/)[0] ?? change.path;
          return (
            <Button
              size="compact-xs"
              variant="default"
              disabled={taken.includes(field)}
              onClick={() => {
                setTaken([...taken, field]);
                takeTheirs(field);
              }}
            >
              {say("edit.take_theirs")}
            </Button>
          );
        }}
      />
      <p className="row">
        <Button size="compact-sm" onClick={goOn}>
          {say("edit.go_on", { version: conflict.version })}
        </Button>
      </p>
    </section>
  );
}
