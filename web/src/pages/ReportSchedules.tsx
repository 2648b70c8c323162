/// Schedules of reports: which report is sent when, and to whom; made, changed and taken away.
import { Button, Checkbox, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import { reportSchedules } from "../api/reports.ts";
import type { ReportScheduleOut } from "../api/types.ts";
import { KINDS, type ScheduleForm, scheduleDocument, scheduleForm, WEEKDAYS } from "../format/reportForm.ts";
import { asReportSchedule } from "../format/snippets.ts";
import { Command } from "../parts/Command.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { draftOf, useDraft } from "../parts/draft.ts";
import { FormFoot } from "../parts/FormFoot.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { ListTable } from "../parts/ListTable.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { useZone } from "../parts/settings.ts";
import { At, FromNow } from "../parts/Times.tsx";
import { tell } from "../parts/Toasts.tsx";
import { ToChannels } from "../parts/ToChannels.tsx";
import { isWord, useSay } from "../words/say.ts";

type Opened = { what: "new" } | { what: "send" | "edit" | "remove"; schedule: ReportScheduleOut } | null;

export function ReportSchedules() {
  const say = useSay();
  const rights = useRights();
  const query = useQuery(reportSchedules());
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      {rights.write && (
        <div className="filters">
          <Button onClick={() => setOpened({ what: "new" })}>{say("reports.new")}</Button>
        </div>
      )}
      <Loaded query={query} rows={3}>
        {(found) =>
          found.items.length === 0 ? (
            <div className="empty">
              <p>{say("reports.no_schedules")}</p>
              <Command text="foliot report schedule set morning --to mail --at 08:00" />
            </div>
          ) : (
            <ScheduleTable schedules={found.items} open={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === "new" && <ScheduleDialog close={close} />}
      {opened?.what === "send" && <SendDialog schedule={opened.schedule} close={close} />}
      {opened?.what === "edit" && <ScheduleDialog schedule={opened.schedule} close={close} />}
      {opened?.what === "remove" && <RemoveDialog schedule={opened.schedule} close={close} />}
    </>
  );
}

interface TableProps {
  schedules: ReportScheduleOut[];
  open: (opened: Opened) => void;
}

function ScheduleTable({ schedules: all, open }: TableProps) {
  const say = useSay();
  const rights = useRights();
  const acts = [
    ["send", "reports.send"],
    ["edit", "do.edit"],
    ["remove", "limits.remove"],
  ] as const;
  return (
    <ListTable
      label={say("reports.list")}
      heads={[
        "reports.name",
        "reports.about",
        "reports.kind",
        "reports.when",
        "reports.to",
        "reports.next",
        "reports.last",
      ]}
      hasActions
    >
      {all.map((one) => {
        const mayChange = rights.admin || (rights.write && one.namespace !== null);
        return (
          <tr key={`${one.namespace}/${one.name}`} className={one.is_on ? undefined : "dim"}>
            <td className="first">
              <span className="row tightrow">
                <span className="name">
                  <Raw>{one.name}</Raw>
                </span>
                {!one.is_on && <span className="tag tone-idle">{say("reports.off")}</span>}
              </span>
            </td>
            <td data-label={say("reports.about")}>
              {one.namespace === null ? say("reports.cluster") : <Raw>{one.namespace}</Raw>}
            </td>
            <td>{say(`reports.${one.kind}`)}</td>
            <td data-label={say("reports.when")}>
              <When written={one.schedule} />
            </td>
            <td data-label={say("reports.to")}>
              <Raw>{one.to.join(", ")}</Raw>
            </td>
            <td data-label={say("reports.next")}>
              {one.next_at ? (
                <>
                  <At iso={one.next_at} /> (<FromNow iso={one.next_at} />)
                </>
              ) : (
                "–"
              )}
            </td>
            <td data-label={say("reports.last")}>{one.last_at ? <At iso={one.last_at} /> : "–"}</td>
            <td className="tight">
              {mayChange &&
                acts.map(([what, word]) => (
                  <Button
                    key={what}
                    mr={4}
                    size="compact-xs"
                    variant="default"
                    aria-label={`${say(word)} ${one.name}`}
                    onClick={() => open({ what, schedule: one })}
                  >
                    {say(word)}
                  </Button>
                ))}
            </td>
          </tr>
        );
      })}
    </ListTable>
  );
}

function When({ written }: { written: Record<string, unknown> }) {
  const say = useSay();
  const day = `weekday.${String(written.weekday ?? "")}`;
  return (
    <span className="nowrap">
      {isWord(day) && `${say(day)} `}
      {String(written.at)}{" "}
      <span className="soft small" translate="no">
        {String(written.timezone)}
      </span>
    </span>
  );
}

/** The report of the last day or week that is over goes out now, beside those of the schedule. */
function SendDialog({ schedule, close }: { schedule: ReportScheduleOut; close: () => void }) {
  const say = useSay();
  const { name, namespace } = schedule;
  const given = (reason: string) => ({
    path: { name },
    query: namespace === null ? {} : { namespace },
    body: { reason },
  });
  return (
    <Confirm
      title={say("reports.send_title", { name })}
      says={say("reports.send_says", { to: schedule.to.join(", ") })}
      action={say("reports.send")}
      act={(reason) => ({
        verb: "report schedule send",
        of: name,
        ...(namespace !== null && { namespace }),
        options: { reason },
        asked: asked("send_report_schedule", given(reason)),
        method: {
          name: "reports.send_schedule",
          given: [name],
          options: { reason, namespace: namespace ?? undefined },
        },
      })}
      close={close}
      change={async ({ reason, key }) => {
        const sent = await call("send_report_schedule", { ...given(reason), key });
        tell(say("reports.sent", { date: sent.date, to: sent.to.join(", ") }));
      }}
    />
  );
}

function ScheduleDialog({ schedule, close }: { schedule?: ReportScheduleOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  const rights = useRights();
  const zone = useZone();
  const client = useQueryClient();
  const [{ name, namespace, form, reason }, keep, forget] = useDraft(draftOf("report", schedule), {
    name: schedule?.name ?? "",
    namespace: schedule?.namespace ?? (rights.admin ? "" : "default"),
    form: scheduleForm(schedule?.schedule ?? {}, zone),
    reason: "",
  });
  const leave = () => {
    forget();
    close();
  };
  const written = scheduleDocument(form);
  const saving = useMutation({
    mutationFn: () => {
      const query = namespace === "" ? {} : { namespace };
      const body = { schedule: written, reason };
      return call("put_report_schedule", { path: { name }, query, body, key: newKey() });
    },
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ["reports"] });
      tell([say("reports.saved", { name }), ...saved.warnings.map((one) => one.message)].join(" "));
      leave();
    },
  });
  const set = (changed: Partial<ScheduleForm>) => keep({ form: { ...form, ...changed } });
  return (
    <Modal
      opened
      onClose={leave}
      size="lg"
      title={say(schedule ? "reports.edit_title" : "reports.new", { name })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!saving.isPending) saving.mutate();
        }}
      >
        {!schedule && (
          <div className="row fields">
            <TextInput
              label={say("reports.name")}
              required
              placeholder="morning"
              translate="no"
              value={name}
              onChange={(event) => keep({ name: event.currentTarget.value })}
              data-autofocus
            />
            <TextInput
              label={say("reports.of")}
              placeholder={rights.admin ? say("reports.of_hint") : undefined}
              required={!rights.admin}
              value={namespace}
              onChange={(event) => keep({ namespace: event.currentTarget.value })}
            />
          </div>
        )}
        <div className="row fields">
          <NativeSelect
            label={say("reports.kind")}
            value={form.kind}
            onChange={(event) => set({ kind: event.currentTarget.value })}
            data={KINDS.map((one) => ({ value: one, label: say(`reports.${one}`) }))}
          />
          {form.kind === "weekly" && (
            <NativeSelect
              label={say("reports.weekday")}
              value={form.weekday}
              onChange={(event) => set({ weekday: event.currentTarget.value })}
              data={WEEKDAYS.map((one) => ({ value: one, label: say(`weekday.${one}`) }))}
            />
          )}
          <TextInput
            type="time"
            label={say("reports.at")}
            required
            value={form.at}
            onChange={(event) => set({ at: event.currentTarget.value })}
          />
          <TextInput
            label={say("reports.timezone")}
            required
            value={form.timezone}
            onChange={(event) => set({ timezone: event.currentTarget.value })}
          />
        </div>
        <ToChannels chosen={form.to} choose={(to) => set({ to })} none="" />
        <NativeSelect
          label={say("reports.language")}
          value={form.language}
          onChange={(event) => set({ language: event.currentTarget.value })}
          data={[
            { value: "", label: say("reports.of_channel") },
            { value: "en", label: say("channels.en") },
            { value: "zh", label: say("channels.zh") },
          ]}
        />
        <Checkbox
          label={say("reports.on")}
          checked={form.isOn}
          onChange={(event) => set({ isOn: event.currentTarget.checked })}
        />
        <TextInput
          label={say("do.reason")}
          value={reason}
          maxLength={500}
          onChange={(event) => keep({ reason: event.currentTarget.value })}
        />
        {name !== "" && form.to.length > 0 && (
          <Command text={asReportSchedule(name, namespace === "" ? null : namespace, written)} />
        )}
        <FormFoot
          action={say("do.save")}
          isPending={saving.isPending}
          error={saving.error}
          isDisabled={name === "" || form.to.length === 0}
          close={leave}
        />
      </form>
    </Modal>
  );
}

function RemoveDialog({ schedule, close }: { schedule: ReportScheduleOut; close: () => void }) {
  const say = useSay();
  const { name, namespace } = schedule;
  const place = namespace === null ? {} : { namespace };
  return (
    <Confirm
      title={say("reports.remove_title", { name })}
      says={say("reports.remove_says")}
      action={say("limits.remove")}
      isDanger
      act={(reason) => ({
        verb: "report schedule delete",
        of: name,
        namespace: namespace ?? "default",
        options: { reason },
        asked: asked("delete_report_schedule", { path: { name }, query: { ...place, reason } }),
        method: { name: "reports.delete_schedule", given: [name], options: { reason, ...place } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("delete_report_schedule", { path: { name }, query: { ...place, reason }, key });
        tell(say("reports.removed", { name }));
      }}
    />
  );
}
