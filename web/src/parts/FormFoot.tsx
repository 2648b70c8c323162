/// The foot of a form: what went wrong, the button that sends it, the one that closes it.
import { Button } from "@mantine/core";
import { useSay } from "../words/say.ts";
import { ProblemBox } from "./Problem.tsx";

interface Props {
  action: string;
  isPending: boolean;
  error?: Error | null;
  isDanger?: boolean;
  isDisabled?: boolean;
  close: () => void;
}

export function FormFoot({ action, isPending, error, isDanger, isDisabled = false, close }: Props) {
  const say = useSay();
  return (
    <>
      {error && <ProblemBox error={error} />}
      <div className="row">
        <Button
          type="submit"
          loading={isPending}
          disabled={isDisabled}
          {...(isDanger ? { color: "red.9" } : {})}
        >
          {action}
        </Button>
        <Button variant="default" onClick={close}>
          {say("do.close")}
        </Button>
      </div>
    </>
  );
}
