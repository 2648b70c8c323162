/// Rules of alerts: what each looks for, in words; made and changed by a form, and tried against a run before anybody is told.
import { Button, Checkbox, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { rules } from "../api/alerts.ts";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import { conflictOf, madeFrom } from "../api/conflict.ts";
import type { RuleOut } from "../api/types.ts";
import { LEVELS } from "../format/alerts.ts";
import { ruleAct } from "../format/formActs.ts";
import { EMPTY_RULE, type RuleForm, ruleDocument, ruleForm } from "../format/ruleForm.ts";
import { ChangeTable } from "../parts/ChangeTable.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { draftOf, useDraft } from "../parts/draft.ts";
import { FormFoot } from "../parts/FormFoot.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Previewed } from "../parts/Previewed.tsx";
import { ProblemBox } from "../parts/Problem.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { State } from "../parts/State.tsx";
import { tell } from "../parts/Toasts.tsx";
import { ToChannels } from "../parts/ToChannels.tsx";
import { useSay } from "../words/say.ts";

type Opened = { what: "new" } | { what: "edit" | "remove" | "try"; rule: RuleOut } | null;
const CONDITIONS = [
  "failed",
  "failed 3 of 5",
  "late 10m",
  "slower p95*2",
  "silent 2h",
  "queue 5m",
  "node dead",
  "anomaly",
];

export function Rules() {
  const say = useSay();
  const rights = useRights();
  const query = useQuery(rules());
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      {rights.write && (
        <div className="filters">
          <Button onClick={() => setOpened({ what: "new" })}>{say("rules.new")}</Button>
        </div>
      )}
      <Loaded query={query} rows={6}>
        {(found) => <RuleTable rules={found.items} open={setOpened} />}
      </Loaded>
      {opened?.what === "new" && <RuleDialog close={close} />}
      {opened?.what === "edit" && <RuleDialog rule={opened.rule} close={close} />}
      {opened?.what === "try" && <TryDialog rule={opened.rule} close={close} />}
      {opened?.what === "remove" && <RemoveDialog rule={opened.rule} close={close} />}
    </>
  );
}

function RuleTable({ rules: all, open }: { rules: RuleOut[]; open: (opened: Opened) => void }) {
  const say = useSay();
  const rights = useRights();
  return (
    <ListTable
      label={say("rules.list")}
      heads={["rules.name", "rules.does", "alerts.level", "alerts.told"]}
      hasActions
    >
      {all.map((rule) => {
        const mayChange = rights.admin || (rights.write && rule.namespace !== null);
        return (
          <tr key={`${rule.namespace}/${rule.name}`} className={rule.is_on ? undefined : "dim"}>
            <td className="first named">
              <span className="row tightrow">
                <span className="name">
                  <Raw>
                    {rule.namespace !== null && rule.namespace !== "default" && (
                      <span className="soft">{rule.namespace} / </span>
                    )}
                    {rule.name}
                  </Raw>
                </span>
                {rule.version === 0 && <span className="tag tone-idle">{say("rules.built_in")}</span>}
                {!rule.is_on && <span className="tag tone-idle">{say("rules.off")}</span>}
              </span>
            </td>
            <td className="wrapped">
              <span className="raw">{rule.in_words}</span>
            </td>
            <td>
              <State of={rule.level} family="level" />
            </td>
            <td className="told" data-label={say("alerts.told")}>
              {rule.to.length > 0 ? <Raw>{rule.to.join(", ")}</Raw> : say("alerts.default_channels")}
            </td>
            <td className="tight">
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${say("rules.try")} ${rule.name}`}
                onClick={() => open({ what: "try", rule })}
              >
                {say("rules.try")}
              </Button>{" "}
              {mayChange && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`${say("do.edit")} ${rule.name}`}
                  onClick={() => open({ what: "edit", rule })}
                >
                  {say("do.edit")}
                </Button>
              )}{" "}
              {mayChange && rule.version > 0 && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`${say("limits.remove")} ${rule.name}`}
                  onClick={() => open({ what: "remove", rule })}
                >
                  {say("limits.remove")}
                </Button>
              )}
            </td>
          </tr>
        );
      })}
    </ListTable>
  );
}

/** Where a rule is: the cluster's are asked for as such. */
function placeOf(rule: RuleOut) {
  return rule.namespace === null ? { everywhere: true } : { namespace: rule.namespace };
}

function RuleDialog({ rule, close }: { rule?: RuleOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  const rights = useRights();
  const client = useQueryClient();
  const [{ name, form, isEverywhere, reason }, keep, forget] = useDraft(draftOf("rule", rule), {
    name: rule?.name ?? "",
    form: rule ? ruleForm(rule.rule) : EMPTY_RULE,
    isEverywhere: false,
    reason: "",
  });
  const leave = () => {
    forget();
    close();
  };
  const read = ruleDocument(form);
  const asking = (document: Record<string, unknown>, version: number) => ({
    path: { name },
    query: rule ? placeOf(rule) : isEverywhere ? { everywhere: true } : {},
    body: { rule: document, reason },
    headers: madeFrom(version),
  });
  const saving = useMutation({
    mutationFn: (version: number) => {
      if ("line" in read) throw new Error(String(read.line));
      return call("put_rule", { ...asking(read.rule, version), key: newKey() });
    },
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ["alerts"] });
      tell([say("rules.saved", { name }), ...saved.warnings.map((one) => one.message)].join(" "));
      leave();
    },
  });
  const conflict = conflictOf<RuleOut>(saving.error);
  const version = conflict?.current.version ?? rule?.version ?? 0;
  const namespace = rule ? rule.namespace : isEverywhere ? null : "default";
  const set = (changed: Partial<RuleForm>) => keep({ form: { ...form, ...changed } });
  return (
    <Modal
      opened
      onClose={leave}
      size="lg"
      title={say(rule ? "rules.edit_title" : "rules.new", { name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!saving.isPending) saving.mutate(version);
        }}
      >
        {!rule && (
          <TextInput
            label={say("rules.name")}
            required
            value={name}
            onChange={(event) => keep({ name: event.currentTarget.value })}
            data-autofocus
          />
        )}
        <TextInput
          label={say("rules.when")}
          description={<span translate="no">{CONDITIONS.join(" · ")}</span>}
          required
          value={form.when}
          onChange={(event) => set({ when: event.currentTarget.value })}
        />
        <div className="row fields">
          {(["job", "group", "node"] as const).map((field) => (
            <TextInput
              key={field}
              label={say(`rules.of_${field}`)}
              placeholder="*"
              value={form[field]}
              onChange={(event) => set({ [field]: event.currentTarget.value })}
            />
          ))}
        </div>
        <div className="row fields">
          <NativeSelect
            label={say("alerts.level")}
            value={form.level}
            onChange={(event) => set({ level: event.currentTarget.value })}
            data={LEVELS.map((one) => ({ value: one, label: say(`level.${one}`) }))}
          />
          <TextInput
            label={say("rules.for")}
            placeholder="5m"
            value={form.lasts}
            onChange={(event) => set({ lasts: event.currentTarget.value })}
          />
          <TextInput
            label={say("rules.after")}
            placeholder="2 in 24h"
            value={form.after}
            onChange={(event) => set({ after: event.currentTarget.value })}
          />
          <TextInput
            label={say("rules.remind")}
            placeholder="4h"
            value={form.remind}
            onChange={(event) => set({ remind: event.currentTarget.value })}
          />
        </div>
        <ToChannels chosen={form.to} choose={(to) => set({ to })} none={say("alerts.default_channels")} />
        <TextInput
          label={say("alerts.runbook")}
          placeholder="https://"
          translate="no"
          value={form.runbook}
          onChange={(event) => set({ runbook: event.currentTarget.value })}
        />
        <details className="fold">
          <summary>{say("rules.rest")}</summary>
          <Textarea
            mt="xs"
            aria-label={say("rules.rest")}
            description={<span translate="no">hours, escalate, do, recover, of.tags</span>}
            rows={5}
            className="mono"
            value={form.rest}
            error={"line" in read ? say("rules.bad_yaml", { line: read.line }) : undefined}
            onChange={(event) => set({ rest: event.currentTarget.value })}
          />
        </details>
        <div className="row">
          <Checkbox
            label={say("rules.on")}
            checked={form.isOn}
            onChange={(event) => set({ isOn: event.currentTarget.checked })}
          />
          {!rule && rights.admin && (
            <Checkbox
              label={say("rules.everywhere")}
              checked={isEverywhere}
              onChange={(event) => keep({ isEverywhere: event.currentTarget.checked })}
            />
          )}
        </div>
        <TryRule
          name={name || "new"}
          place={rule ? placeOf(rule) : {}}
          document={"rule" in read ? read.rule : null}
        />
        <TextInput
          label={say("do.reason")}
          value={reason}
          maxLength={500}
          onChange={(event) => keep({ reason: event.currentTarget.value })}
        />
        {conflict && (
          <ChangeTable changes={conflict.changes} before={say("rules.theirs")} after={say("rules.yours")} />
        )}
        {name !== "" && "rule" in read && (
          <FoldedCopyAs
            act={ruleAct(read.rule, namespace, {
              ...{ name, version, reason },
              asked: asked("put_rule", asking(read.rule, version)),
            })}
          />
        )}
        <FormFoot
          action={say(conflict ? "rules.save_over" : "rules.save")}
          isPending={saving.isPending}
          error={saving.error}
          isDisabled={"line" in read || name === ""}
          close={leave}
        />
      </form>
    </Modal>
  );
}

interface TryProps {
  name: string;
  place: { namespace?: string; everywhere?: boolean };
  /** In the place of the saved rule; null: it is not written yet. */
  document?: Record<string, unknown> | null;
}

/** Whether a rule would fire for a run: each thing it asks, and the answer. Nothing is told. */
function TryRule({ name, place, document }: TryProps) {
  const say = useSay();
  const [run, setRun] = useState("");
  const trying = useMutation({
    mutationFn: () => {
      const body = { run: run.trim(), ...(document && { rule: document }) };
      return call("try_rule", { path: { name }, query: place, body });
    },
  });
  const previewing = useMutation({
    mutationFn: () => {
      const body = { ...(run.trim() && { run: run.trim() }), ...(document && { rule: document }) };
      return call("preview_rule", { path: { name }, query: place, body });
    },
  });
  const error = trying.error ?? previewing.error;
  return (
    <fieldset className="stack plainset">
      <div className="row bottom">
        <TextInput
          label={say("rules.try_run")}
          placeholder="r-8k2f"
          value={run}
          onChange={(event) => setRun(event.currentTarget.value)}
        />
        <Button
          variant="default"
          loading={trying.isPending}
          disabled={run.trim() === "" || document === null}
          onClick={() => trying.mutate()}
        >
          {say("rules.try")}
        </Button>
        <Button
          variant="default"
          loading={previewing.isPending}
          disabled={document === null}
          onClick={() => previewing.mutate()}
        >
          {say("channels.preview")}
        </Button>
      </div>
      {error && <ProblemBox error={error} />}
      {trying.data && (
        <div className="why" role="status">
          <p>
            <strong className={trying.data.would_fire ? "tone-bad" : "tone-good"}>
              {say(trying.data.would_fire ? "rules.would" : "rules.would_not")}
            </strong>
          </p>
          {trying.data.why.map((sentence) => (
            <p key={sentence} className="raw">
              {sentence}
            </p>
          ))}
          {trying.data.would_fire && (
            <p className="soft">
              {say("alerts.told")} <Raw>{trying.data.to.join(", ") || "–"}</Raw>
            </p>
          )}
        </div>
      )}
      {previewing.data?.items.map((told) => (
        <div key={`${told.namespace}/${told.channel}`} className="stack">
          <p className="raw">
            <strong>{told.channel}</strong> {told.why}
          </p>
          <Previewed messages={told.messages} />
        </div>
      ))}
      {previewing.data?.items.length === 0 && <p className="soft">{say("rules.tells_nobody")}</p>}
    </fieldset>
  );
}

function TryDialog({ rule, close }: { rule: RuleOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  return (
    <Modal
      opened
      onClose={close}
      title={say("rules.try_title", { name: rule.name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      centered
    >
      <div className="stack">
        <p className="raw">{rule.in_words}</p>
        <TryRule name={rule.name} place={placeOf(rule)} />
      </div>
    </Modal>
  );
}

function RemoveDialog({ rule, close }: { rule: RuleOut; close: () => void }) {
  const say = useSay();
  const { name } = rule;
  return (
    <Confirm
      title={say("limits.remove_title", { name })}
      says={say("rules.remove_says")}
      action={say("limits.remove")}
      isDanger
      act={(reason) => ({
        verb: "alert rule delete",
        of: name,
        namespace: rule.namespace ?? "default",
        options: { everywhere: rule.namespace === null || undefined, reason },
        asked: asked("delete_rule", { path: { name }, query: { ...placeOf(rule), reason } }),
        method: { name: "rules.delete", given: [name], options: { ...placeOf(rule), reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("delete_rule", { path: { name }, query: { ...placeOf(rule), reason }, key });
        tell(say("limits.removed", { name }));
      }}
    />
  );
}
