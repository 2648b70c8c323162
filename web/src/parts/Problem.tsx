/// An error on the page: what, the next step, the code, and a way to try again. It never takes the page away.
import { Button } from "@mantine/core";
import { ProblemError } from "../api/call.ts";
import type { Told } from "../live/notices.ts";
import { useSay } from "../words/say.ts";
import { MissingPart } from "./coming.ts";

export function ProblemBox({ error, again }: { error: Error; again?: (() => void) | undefined }) {
  const say = useSay();
  const told = useProblem()(error);
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{told.title}</strong>
      </p>
      {told.hint && <p className="soft">{told.hint}</p>}
      <div className="row">
        {again && (
          <Button size="compact-sm" variant="default" onClick={again}>
            {say("do.again")}
          </Button>
        )}
        {told.code && (
          <span className="soft small mono" translate="no">
            {told.code}
          </span>
        )}
      </div>
    </div>
  );
}

/** The sentence, the next step and the code of an error. */
export function useProblem(): (error: Error) => Told {
  const say = useSay();
  return (error) => {
    if (error instanceof MissingPart)
      return { title: say("fail.part"), hint: say("fail.part_hint"), code: "" };
    if (!(error instanceof ProblemError)) {
      return { title: say("fail.crash"), hint: say("fail.crash_hint"), code: "" };
    }
    if (error.status === 0) return { title: say("fail.offline"), hint: say("fail.offline_hint"), code: "" };
    const { detail, title, hint, code } = error.problem;
    return {
      title: detail ?? title ?? say("fail.title"),
      hint: hint ?? "",
      code: code ?? `HTTP ${error.status}`,
    };
  };
}
