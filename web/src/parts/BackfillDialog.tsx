/// A backfill is asked for in two steps: first what it would do, instant by instant, then the start of just that.
import { Checkbox, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import type { BackfillPreviewOut, NewBackfillIn } from "../api/types.ts";
import { dayAfter, dayOf, dayWritten } from "../format/day.ts";
import type { Act } from "../format/snippets.ts";
import { count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { FoldedCopyAs } from "./CopyAs.tsx";
import { useDraft } from "./draft.ts";
import { FormFoot } from "./FormFoot.tsx";
import { useFocusBack } from "./focus.ts";
import { NamespaceField } from "./NamespaceField.tsx";
import { useNamespace, useZone } from "./settings.ts";
import { At } from "./Times.tsx";
import { tell } from "./Toasts.tsx";

const ONLY = ["missing", "failed", "all"] as const;
const SHOWN = 12;

interface Written {
  name: string;
  namespace: string;
  from: string;
  to: string;
  only: (typeof ONLY)[number];
  parallel: number;
  isNewestFirst: boolean;
  reason: string;
}

interface Props {
  job?: { name: string; namespace: string };
  close: () => void;
}

export function BackfillDialog({ job, close }: Props) {
  useFocusBack();
  const say = useSay();
  const zone = useZone();
  const client = useQueryClient();
  const today = dayOf(Date.now(), zone);
  const chosen = useNamespace();
  const [written, keep, forget] = useDraft<Written>(`backfill ${job ? `${job.namespace}/${job.name}` : ""}`, {
    name: job?.name ?? "",
    namespace: job?.namespace ?? (chosen || "default"),
    from: dayAfter(today, -7),
    to: today,
    only: "missing",
    parallel: 1,
    isNewestFirst: false,
    reason: "",
  });
  const { name, namespace, from, to, only, parallel, isNewestFirst, reason } = written;
  const [key] = useState(newKey);
  const query = { namespace };
  const fromAt = dayWritten(from, zone);
  const toAt = dayWritten(to, zone);
  const isWhole = fromAt !== null && toAt !== null;
  const body: NewBackfillIn = {
    job: name,
    from: fromAt ?? "",
    to: toAt ?? "",
    only,
    parallel,
    newest_first: isNewestFirst,
    reason,
  };
  const leave = () => {
    forget();
    close();
  };
  const looking = useMutation({ mutationFn: () => call("preview_backfill", { query, body }) });
  const seen = looking.data;
  const starting = useMutation({
    mutationFn: (preview: BackfillPreviewOut) =>
      call("start_backfill", { query, body: startOf(body, preview), key }),
    onSuccess: (made) => {
      void client.invalidateQueries();
      tell(say("fill.started", { job: made.job, count: made.total }));
      leave();
    },
  });
  // What was seen is confirmed: a change in the form needs another look.
  const change = (next: Partial<Written>) => {
    keep(next);
    looking.reset();
    starting.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (seen && seen.count > 0) starting.mutate(seen);
    else looking.mutate();
  };
  const error = starting.error ?? looking.error;
  return (
    <Modal
      opened
      onClose={leave}
      title={say("fill.new")}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
      size="lg"
    >
      <form className="stack" onSubmit={submit}>
        {!job && (
          <div className="row fields">
            <TextInput
              label={say("runs.job")}
              required
              value={name}
              onChange={(event) => change({ name: event.currentTarget.value })}
              data-autofocus
            />
            <NamespaceField value={namespace} set={(wanted) => change({ namespace: wanted })} />
          </div>
        )}
        <div className="row fields">
          <TextInput
            type="date"
            label={say("fill.from")}
            required
            value={from}
            error={fromAt === null && say("field.half_date")}
            onChange={(event) => change({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={say("fill.to")}
            required
            value={to}
            error={toAt === null && say("field.half_date")}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
          <NativeSelect
            label={say("fill.only")}
            value={only}
            onChange={(event) => change({ only: event.currentTarget.value as typeof only })}
            data={ONLY.map((one) => ({ value: one, label: say(`fill.${one}`) }))}
          />
          <TextInput
            type="number"
            label={say("fill.parallel")}
            min={1}
            max={100}
            value={parallel}
            onChange={(event) => change({ parallel: Number(event.currentTarget.value) || 1 })}
          />
        </div>
        <Checkbox
          label={say("fill.newest_first")}
          checked={isNewestFirst}
          onChange={(event) => change({ isNewestFirst: event.currentTarget.checked })}
        />
        <TextInput
          label={say("do.reason")}
          value={reason}
          maxLength={500}
          onChange={(event) => change({ reason: event.currentTarget.value })}
        />
        {seen && <Preview seen={seen} />}
        {isWhole && <FoldedCopyAs act={actOf(body, namespace, seen)} />}
        <FormFoot
          action={seen && seen.count > 0 ? say("fill.start", { count: seen.count }) : say("fill.preview")}
          isPending={looking.isPending || starting.isPending}
          error={error}
          isDisabled={!isWhole}
          close={leave}
        />
      </form>
    </Modal>
  );
}

/** What was seen is started, and nothing else: with the instants of the preview and what confirms them. */
function startOf(body: NewBackfillIn, seen: BackfillPreviewOut) {
  return { ...body, from: seen.from_at, to: seen.to_at, token: seen.token };
}

/** The same elsewhere. A request is a look until something was seen; the command looks and asks by itself. */
function actOf(body: NewBackfillIn, namespace: string, seen: BackfillPreviewOut | undefined): Act {
  const { job, from, to, only = "missing", parallel = 1, newest_first = false, reason = "" } = body;
  const isSeen = seen !== undefined && seen.count > 0;
  const query = { namespace };
  const how = { only, parallel, newest_first: newest_first || undefined, reason, namespace };
  return {
    verb: "job backfill",
    of: job,
    namespace,
    options: {
      from,
      to: to ?? undefined,
      only,
      parallel: String(parallel),
      "newest-first": newest_first || undefined,
      reason,
    },
    asked: isSeen
      ? asked("start_backfill", { query, body: startOf(body, seen) })
      : asked("preview_backfill", { query, body }),
    method: isSeen
      ? {
          name: "backfills.start",
          given: [job, seen.from_at, seen.to_at],
          options: { confirmed: seen.token, ...how },
        }
      : { name: "backfills.preview", given: [job, from, to], options: how, answer: "seen" },
  };
}

function Preview({ seen }: { seen: BackfillPreviewOut }) {
  const say = useSay();
  if (seen.count === 0) return <p role="status">{say("fill.nothing")}</p>;
  const left = seen.count - Math.min(SHOWN, seen.instants.length);
  return (
    <div className="why" role="status">
      <p>
        <b>{say("fill.seen", { count: seen.count, shown: count(seen.count) })}</b>
      </p>
      <p className="row small">
        {seen.instants.slice(0, SHOWN).map((at) => (
          <At key={at} iso={at} />
        ))}
        {left > 0 && <span className="soft">{say("crowd.more", { count: left })}</span>}
      </p>
    </div>
  );
}
