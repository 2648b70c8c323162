/// What just happened, said once, with a link to it; what went wrong, with the next step and its code.
import { CloseButton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FocusEvent, useSyncExternalStore } from "react";
import {
  hold,
  type Notice,
  onNotices,
  putAway,
  readNotices,
  release,
  tell,
  tellProblem,
} from "../live/notices.ts";
import { useSay } from "../words/say.ts";
import { useProblem } from "./Problem.tsx";

export { tell };

function Undo({ toast, undo }: { toast: number; undo: NonNullable<Notice["undo"]> }) {
  const client = useQueryClient();
  const problem = useProblem();
  const act = async () => {
    putAway(toast);
    try {
      await undo.act();
    } catch (error) {
      tellProblem(problem(error as Error), undo);
    }
    await client.invalidateQueries();
  };
  return (
    <button type="button" className="linklike undo" onClick={() => void act()}>
      {undo.label}
    </button>
  );
}

export function Toasts() {
  const shown = useSyncExternalStore(onNotices, readNotices);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <Toast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** It stays while the pointer or the focus is on it. */
function Toast({ toast }: { toast: Notice }) {
  const say = useSay();
  const { id, text, problem, run, undo } = toast;
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) release(id);
  };
  return (
    <div
      role="group"
      className={problem ? "toast bad" : "toast"}
      onPointerEnter={() => hold(id)}
      onPointerLeave={() => release(id)}
      onFocus={() => hold(id)}
      onBlur={leave}
    >
      <span>{text}</span>
      {problem?.hint && <span className="soft">{problem.hint}</span>}
      {problem?.code && (
        <span className="soft small mono" translate="no">
          {problem.code}
        </span>
      )}
      {run && (
        <Link to="/runs/$run" params={{ run: run.id }}>
          {run.label}
        </Link>
      )}
      {undo && <Undo toast={id} undo={undo} />}
      {problem && <CloseButton size="sm" aria-label={say("do.close")} onClick={() => putAway(id)} />}
    </div>
  );
}
