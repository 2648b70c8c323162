/// Take a job away: its name is written first, since nothing brings it back.
import { useNavigate } from "@tanstack/react-router";
import { asked } from "../api/asked.ts";
import { call } from "../api/call.ts";
import type { JobOut } from "../api/types.ts";
import { useSay } from "../words/say.ts";
import { Confirm } from "./Confirm.tsx";
import { tell } from "./Toasts.tsx";

export function DeleteJobDialog({ job, close }: { job: JobOut; close: () => void }) {
  const say = useSay();
  const navigate = useNavigate();
  const { name, namespace, version } = job;
  const headers = { "If-Match": `"v${version}"` };
  const givenFor = (reason: string) => ({ path: { name }, query: { namespace, reason }, headers });
  return (
    <Confirm
      title={say("delete.title", { job: name })}
      says={say("many.delete_says")}
      action={say("do.delete")}
      isDanger
      name={name}
      act={(reason) => ({
        verb: "job delete",
        of: name,
        namespace,
        options: { reason },
        asked: asked("delete_job", givenFor(reason)),
        method: { name: "jobs.delete", given: [name], options: { if_version: version, reason, namespace } },
      })}
      close={close}
      change={async ({ reason, key }) => {
        await call("delete_job", { ...givenFor(reason), key });
        tell(say("delete.done", { job: name }));
        void navigate({ to: "/jobs" });
      }}
    />
  );
}
