/// What can be done with jobs, runs and nodes: most are a dialog that says what happens.
import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import type { JobOut, NodeOut, RunOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { tell } from "./Toasts.tsx";
import { useUntil } from "./UntilField.tsx";
import { useAct } from "./useAct.ts";

interface Closable {
  close: () => void;
}
type NamedJob = Pick<JobOut, "name" | "namespace">;

export function PauseDialog({ job, close }: Closable & { job: NamedJob }) {
  const say = useSay();
  const { at, isWhole, forget, field } = useUntil(`pause ${job.namespace}/${job.name}`);
  const [path, query] = [{ name: job.name }, { namespace: job.namespace }];
  const bodyOf = (reason: string) => ({ reason, ...(at !== undefined && { until: at }) });
  return (
    <Confirm
      title={say("pause.title", { job: job.name })}
      says={say("pause.says")}
      action={say("do.pause")}
      isOff={!isWhole}
      act={(reason) => ({
        verb: "job pause",
        of: job.name,
        namespace: job.namespace,
        options: { until: at, reason },
        asked: asked("pause_job", { path, query, body: bodyOf(reason) }),
        method: { name: "jobs.pause", given: [job.name], options: { until: at, reason, ...query } },
      })}
      close={() => {
        forget();
        close();
      }}
      change={async ({ reason, key }) => {
        await call("pause_job", { path, query, body: bodyOf(reason), key });
        const undo = async () => {
          await call("resume_job", { path, query, body: {} });
        };
        tell(say("pause.done", { job: job.name }), undefined, { label: say("do.undo"), act: undo });
      }}
    >
      {field}
    </Confirm>
  );
}

export function ResumeDialog({ job, close }: Closable & { job: JobOut }) {
  const say = useSay();
  const [path, query] = [{ name: job.name }, { namespace: job.namespace }];
  return (
    <Confirm
      title={say("resume.title", { job: job.name })}
      says={say("resume.says")}
      action={say("do.resume")}
      act={(reason) => ({
        verb: "job resume",
        of: job.name,
        namespace: job.namespace,
        options: { reason },
        asked: asked("resume_job", { path, query, body: { reason } }),
        method: { name: "jobs.resume", given: [job.name], options: { reason, ...query } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("resume_job", { path, query, body: { reason }, key });
        const before = {
          reason: job.pause_reason,
          ...(job.paused_until !== null && { until: job.paused_until }),
        };
        const undo = async () => {
          await call("pause_job", { path, query, body: before });
        };
        tell(say("resume.done", { job: job.name }), undefined, { label: say("do.undo"), act: undo });
      }}
    />
  );
}

export function CancelDialog({ run, force, close }: Closable & { run: RunOut; force: boolean }) {
  const say = useSay();
  const says = run.state === "PENDING" ? "cancel.says_waiting" : "cancel.says_running";
  return (
    <Confirm
      title={say("cancel.title", { run: run.id })}
      says={say(force ? "cancel.says_force" : says)}
      action={say(force ? "do.force" : "do.cancel")}
      isDanger
      act={(reason) => ({
        verb: "run cancel",
        of: run.id,
        options: { force: force || undefined, reason },
        asked: asked("cancel_run", { path: { run: run.id }, body: { reason, force } }),
        method: { name: "runs.cancel", given: [run.id], options: { force: force || undefined, reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("cancel_run", { path: { run: run.id }, body: { reason, force }, key });
        tell(say("cancel.done", { run: run.id }));
      }}
    />
  );
}

/** The shards that did not succeed run again with one press: what tells of it takes it back. */
export function RetryFailedShards({ run }: { run: RunOut }) {
  const say = useSay();
  const retrying = useAct(async () => {
    const body = { reason: say("retry.pressed"), failed_shards: true };
    const made = await call("retry_run", { path: { run: run.id }, body, key: newKey() });
    const undo = async () => {
      await call("cancel_run", { path: { run: made.id }, body: {} });
    };
    const link = { id: made.id, label: say("trigger.see") };
    tell(say("retry.done", { run: run.id }), link, { label: say("do.undo"), act: undo });
  });
  return (
    <Button
      variant="default"
      title={say("retry.says_failed", { job: run.job })}
      loading={retrying.isPending}
      onClick={() => retrying.mutate()}
    >
      {say("do.retry_failed")}
    </Button>
  );
}

interface RetryProps extends Closable {
  run: Pick<RunOut, "id" | "job"> & { version?: number };
}

type Retried = "original" | "latest";

export function RetryDialog({ run, close }: RetryProps) {
  const say = useSay();
  const [version, setVersion] = useState<Retried>("original");
  const latest = version === "latest" ? version : undefined; // the other is what is usual
  const original =
    run.version === undefined ? say("retry.original") : say("retry.original_of", { version: run.version });
  return (
    <Confirm
      title={say("retry.title", { run: run.id })}
      says={say("retry.says", { job: run.job })}
      action={say("do.retry")}
      act={(reason) => ({
        verb: "run retry",
        of: run.id,
        options: { version: latest, reason },
        asked: asked("retry_run", { path: { run: run.id }, body: { reason, version } }),
        method: { name: "runs.retry", given: [run.id], options: { version: latest, reason }, answer: "run" },
      })}
      close={close}
      change={async ({ reason, key }) => {
        const made = await call("retry_run", { path: { run: run.id }, body: { reason, version }, key });
        tell(say("retry.done", { run: run.id }), { id: made.id, label: say("trigger.see") });
      }}
    >
      <NativeSelect
        label={say("retry.version")}
        value={version}
        onChange={(event) => setVersion(event.currentTarget.value as Retried)}
        data={[
          { value: "original", label: original },
          { value: "latest", label: say("retry.latest") },
        ]}
      />
    </Confirm>
  );
}

export function RollbackDialog({ job, version, close }: Closable & { job: JobOut; version: number }) {
  const say = useSay();
  const [path, query] = [{ name: job.name }, { namespace: job.namespace }];
  const headers = { "If-Match": `"v${job.version}"` };
  return (
    <Confirm
      title={say("job.rollback_title", { version })}
      says={say("job.rollback_says", { version })}
      action={say("job.rollback")}
      act={(reason) => ({
        verb: "job rollback",
        of: job.name,
        namespace: job.namespace,
        options: { to: `v${version}`, reason },
        asked: asked("rollback_job", { path, query, body: { to: version, reason }, headers }),
        method: {
          name: "jobs.rollback",
          given: [job.name, version],
          options: { if_version: job.version, reason, ...query },
        },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("rollback_job", { path, query, body: { to: version, reason }, headers, key });
        tell(say("rollback.done", { job: job.name, version }));
      }}
    />
  );
}

export function DrainDialog({ node, close }: Closable & { node: NodeOut }) {
  const say = useSay();
  const isBack = node.state === "DRAINING";
  const stops =
    node.kind === "server"
      ? say("nodes.drain_server_says")
      : say("nodes.drain_says", { count: node.running });
  return (
    <Confirm
      title={say(isBack ? "nodes.undrain_title" : "nodes.drain_title", { name: node.name })}
      says={isBack ? say("nodes.undrain_says") : stops}
      action={say(isBack ? "nodes.undrain" : "nodes.drain")}
      act={(reason) => ({
        verb: isBack ? "node undrain" : "node drain",
        of: node.name,
        options: { reason },
        asked: asked(isBack ? "undrain_node" : "drain_node", { path: { name: node.id }, body: { reason } }),
        method: { name: isBack ? "nodes.undrain" : "nodes.drain", given: [node.name], options: { reason } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        const path = { name: node.id };
        if (isBack) await call("undrain_node", { path, body: { reason }, key });
        else await call("drain_node", { path, body: { reason }, key });
        tell(say(isBack ? "undrain.done" : "drain.done", { name: node.name }));
      }}
    />
  );
}

interface StepDownProps extends Closable {
  leader: string | null;
  to: NodeOut[];
}

export function StepDownDialog({ leader, to, close }: StepDownProps) {
  const say = useSay();
  const [heir, setHeir] = useState("");
  const bodyOf = (reason: string) => ({ reason, ...(heir !== "" && { to: heir }) });
  return (
    <Confirm
      title={say("step.title", { leader: leader ?? "" })}
      says={say("step.says")}
      action={say("nodes.step_down")}
      act={(reason) => {
        const options = { to: to.find((node) => node.id === heir)?.name, reason };
        return {
          verb: "cluster step-down",
          options,
          asked: asked("step_down", { body: bodyOf(reason) }),
          method: { name: "cluster.step_down", given: [], options },
        };
      }}
      close={close}
      change={async ({ reason, key }) => {
        const done = await call("step_down", { body: bodyOf(reason), key });
        tell(say("step.done", { leader: done.leader, term: done.term }));
      }}
    >
      <NativeSelect
        label={say("step.to")}
        value={heir}
        onChange={(event) => setHeir(event.currentTarget.value)}
        data={[
          { value: "", label: say("step.oldest") },
          ...to.map((node) => ({ value: node.id, label: node.name })),
        ]}
      />
    </Confirm>
  );
}
