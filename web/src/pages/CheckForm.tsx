/// The form of a check: its rhythm, how late is too late, whom to tell.
import { Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import { conflictOf, madeFrom } from "../api/conflict.ts";
import type { CheckOut } from "../api/types.ts";
import { LEVELS } from "../format/alerts.ts";
import { type CheckForm, checkDocument, checkForm, emptyCheck } from "../format/checkForm.ts";
import { checkAct } from "../format/formActs.ts";
import { ChangeTable } from "../parts/ChangeTable.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { draftOf, useDraft } from "../parts/draft.ts";
import { FormFoot } from "../parts/FormFoot.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { useZone } from "../parts/settings.ts";
import { tell } from "../parts/Toasts.tsx";
import { ToChannels } from "../parts/ToChannels.tsx";
import { useSay } from "../words/say.ts";

interface Props {
  check: CheckOut | undefined;
  close: () => void;
}

export function CheckDialog({ check, close }: Props) {
  useFocusBack();
  const say = useSay();
  const zone = useZone();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [{ name, namespace, form, reason }, keep, forget] = useDraft(draftOf("check", check), {
    name: check?.name ?? "",
    namespace: check?.namespace ?? "default",
    form: check ? checkForm(check.check, zone) : emptyCheck(zone),
    reason: "",
  });
  const leave = () => {
    forget();
    close();
  };
  const written = checkDocument(form);
  const asking = (version: number) => ({
    path: { name },
    query: { namespace },
    body: { check: written ?? {}, reason },
    headers: madeFrom(version),
  });
  const saving = useMutation({
    mutationFn: (version: number) => call("put_check", { ...asking(version), key: newKey() }),
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ["checks"] });
      const said = [say("checks.saved", { name }), ...saved.warnings.map((one) => one.message)];
      if (!check) said.push(say("checks.waits"));
      tell(said.join(" "));
      leave();
      // A new one is opened: there stands how it is pinged.
      if (!check) void navigate({ to: "/checks", search: { name, namespace } });
    },
  });
  const conflict = conflictOf<CheckOut>(saving.error);
  const version = conflict?.current.version ?? check?.version ?? 0;
  const set = (changed: Partial<CheckForm>) => keep({ form: { ...form, ...changed } });
  return (
    <Modal
      opened
      onClose={leave}
      size="lg"
      title={say(check ? "checks.edit_title" : "checks.new", { name })}
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
        {!check && (
          <div className="row fields">
            <TextInput
              label={say("checks.name")}
              required
              placeholder="nightly-backup"
              translate="no"
              value={name}
              onChange={(event) => keep({ name: event.currentTarget.value })}
              data-autofocus
            />
            <TextInput
              label={say("checks.namespace")}
              required
              value={namespace}
              onChange={(event) => keep({ namespace: event.currentTarget.value })}
            />
          </div>
        )}
        <RhythmFields form={form} set={set} />
        <div className="row fields">
          <TextInput
            label={say("checks.grace")}
            description={say("checks.grace_hint")}
            placeholder="5m"
            value={form.grace}
            onChange={(event) => set({ grace: event.currentTarget.value })}
          />
          <TextInput
            label={say("checks.longest")}
            description={say("checks.longest_hint")}
            placeholder="2h"
            value={form.longest}
            onChange={(event) => set({ longest: event.currentTarget.value })}
          />
        </div>
        <ToChannels chosen={form.to} choose={(to) => set({ to })} none={say("alerts.default_channels")} />
        <div className="row fields">
          <NativeSelect
            label={say("checks.level")}
            value={form.level}
            onChange={(event) => set({ level: event.currentTarget.value })}
            data={[
              { value: "", label: say("checks.as_rule") },
              ...LEVELS.map((one) => ({ value: one, label: say(`level.${one}`) })),
            ]}
          />
          <TextInput
            label={say("checks.owner")}
            value={form.owner}
            onChange={(event) => set({ owner: event.currentTarget.value })}
          />
        </div>
        <Textarea
          label={say("checks.description")}
          rows={2}
          value={form.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <div className="row fields">
          <TextInput
            label={say("alerts.runbook")}
            placeholder="https://"
            translate="no"
            value={form.runbook}
            onChange={(event) => set({ runbook: event.currentTarget.value })}
          />
          <TextInput
            label={say("checks.tags")}
            placeholder="team=data"
            translate="no"
            value={form.tags}
            error={written === null ? say("edit.labels_form", { example: "team=data" }) : undefined}
            onChange={(event) => set({ tags: event.currentTarget.value })}
          />
        </div>
        <TextInput
          label={say("do.reason")}
          value={reason}
          maxLength={500}
          onChange={(event) => keep({ reason: event.currentTarget.value })}
        />
        {conflict && (
          <ChangeTable changes={conflict.changes} before={say("checks.theirs")} after={say("rules.yours")} />
        )}
        {name !== "" && written !== null && (
          <FoldedCopyAs
            act={checkAct(written, namespace, {
              ...{ name, version, reason },
              asked: asked("put_check", asking(version)),
            })}
          />
        )}
        <FormFoot
          action={say(conflict ? "rules.save_over" : "do.save")}
          isPending={saving.isPending}
          error={saving.error}
          isDisabled={written === null || name === ""}
          close={leave}
        />
      </form>
    </Modal>
  );
}

interface RhythmProps {
  form: CheckForm;
  set: (changed: Partial<CheckForm>) => void;
}

/** An interval, or the instants of a cron expression in a zone. */
function RhythmFields({ form, set }: RhythmProps) {
  const say = useSay();
  const isEvery = form.rhythm === "every";
  return (
    <div className="row fields">
      <NativeSelect
        label={say("checks.rhythm")}
        value={form.rhythm}
        onChange={(event) => set({ rhythm: event.currentTarget.value as CheckForm["rhythm"] })}
        data={[
          { value: "every", label: say("checks.kind_every") },
          { value: "cron", label: say("checks.kind_cron") },
        ]}
      />
      {isEvery && (
        <TextInput
          label={say("checks.interval")}
          required
          placeholder="10m"
          value={form.every}
          onChange={(event) => set({ every: event.currentTarget.value })}
        />
      )}
      {!isEvery && (
        <>
          <TextInput
            label={<span translate="no">cron</span>}
            required
            className="mono"
            value={form.cron}
            onChange={(event) => set({ cron: event.currentTarget.value })}
          />
          <TextInput
            label={say("checks.timezone")}
            required
            value={form.timezone}
            onChange={(event) => set({ timezone: event.currentTarget.value })}
          />
        </>
      )}
    </div>
  );
}
