/// A backfill is asked for in two steps: first what it would do, instant by instant, then the start of just that.
import { Checkbox, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call, newKey } from "../api/call.ts";
import type { BackfillPreviewOut, NewBackfillIn } from "../api/types.ts";
import { boundsOf, dayAfter, dayOf } from "../format/day.ts";
import { count } from "../format/time.ts";
import { useSay } from "../words/say.ts";
import { FormFoot } from "./FormFoot.tsx";
import { useFocusBack } from "./focus.ts";
import { NamespaceField } from "./NamespaceField.tsx";
import { useNamespace, useZone } from "./settings.ts";
import { At } from "./Times.tsx";
import { tell } from "./Toasts.tsx";

const ONLY = ["missing", "failed", "all"] as const;
const SHOWN = 12;

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
  const [name, setName] = useState(job?.name ?? "");
  const chosen = useNamespace();
  const [namespace, setNamespace] = useState(job?.namespace ?? (chosen || "default"));
  const [from, setFrom] = useState(dayAfter(today, -7));
  const [to, setTo] = useState(today);
  const [only, setOnly] = useState<(typeof ONLY)[number]>("missing");
  const [parallel, setParallel] = useState(1);
  const [isNewestFirst, setNewestFirst] = useState(false);
  const [reason, setReason] = useState("");
  const [key] = useState(newKey);
  const query = { namespace };
  const asked: NewBackfillIn = {
    job: name,
    from: new Date(boundsOf(from, zone).fromMs).toISOString(),
    to: new Date(boundsOf(to, zone).fromMs).toISOString(),
    only,
    parallel,
    newest_first: isNewestFirst,
    reason,
  };
  const looking = useMutation({ mutationFn: () => call("preview_backfill", { query, body: asked }) });
  const seen = looking.data;
  const starting = useMutation({
    mutationFn: (preview: BackfillPreviewOut) => {
      const body = { ...asked, from: preview.from_at, to: preview.to_at, token: preview.token };
      return call("start_backfill", { query, body, key });
    },
    onSuccess: (made) => {
      void client.invalidateQueries();
      tell(say("fill.started", { job: made.job, count: made.total }));
      close();
    },
  });
  // What was seen is confirmed: a change in the form needs another look.
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
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
      onClose={close}
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
              onChange={(event) => change(setName)(event.currentTarget.value)}
              data-autofocus
            />
            <NamespaceField value={namespace} set={change(setNamespace)} />
          </div>
        )}
        <div className="row fields">
          <TextInput
            type="date"
            label={say("fill.from")}
            required
            value={from}
            onChange={(event) => change(setFrom)(event.currentTarget.value)}
          />
          <TextInput
            type="date"
            label={say("fill.to")}
            required
            value={to}
            onChange={(event) => change(setTo)(event.currentTarget.value)}
          />
          <NativeSelect
            label={say("fill.only")}
            value={only}
            onChange={(event) => change(setOnly)(event.currentTarget.value as typeof only)}
            data={ONLY.map((one) => ({ value: one, label: say(`fill.${one}`) }))}
          />
          <TextInput
            type="number"
            label={say("fill.parallel")}
            min={1}
            max={100}
            value={parallel}
            onChange={(event) => change(setParallel)(Number(event.currentTarget.value) || 1)}
          />
        </div>
        <Checkbox
          label={say("fill.newest_first")}
          checked={isNewestFirst}
          onChange={(event) => change(setNewestFirst)(event.currentTarget.checked)}
        />
        <TextInput
          label={say("do.reason")}
          value={reason}
          maxLength={500}
          onChange={(event) => change(setReason)(event.currentTarget.value)}
        />
        {seen && <Preview seen={seen} />}
        <FormFoot
          action={seen && seen.count > 0 ? say("fill.start", { count: seen.count }) : say("fill.preview")}
          isPending={looking.isPending || starting.isPending}
          error={error}
          close={close}
        />
      </form>
    </Modal>
  );
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
