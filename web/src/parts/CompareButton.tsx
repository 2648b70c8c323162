/// The button of a run that chooses it for a comparison, and the bar that says which one waits for a second.
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useSay } from "../words/say.ts";
import { IconButton } from "./IconButton.tsx";
import { pick, usePicked } from "./picked.ts";

export function CompareButton({ run }: { run: string }) {
  const say = useSay();
  const navigate = useNavigate();
  const picked = usePicked();
  const isSecond = picked !== "" && picked !== run;
  const label = isSecond ? say("pair.compare", { one: picked, other: run }) : say("pair.choose", { run });
  const press = () => {
    if (picked === run) pick("");
    else if (!isSecond) pick(run);
    else {
      pick("");
      void navigate({ to: "/runs/compare", search: { one: picked, other: run } });
    }
  };
  return (
    <IconButton
      icon="compare"
      label={label}
      className={picked === "" ? "" : "accent"}
      aria-pressed={picked === run}
      data-key="c"
      onClick={press}
    />
  );
}

export function PickedBar() {
  const say = useSay();
  const picked = usePicked();
  return (
    <div role="status">
      {picked !== "" && (
        <p className="row picked">
          {say("pair.choose_two", { run: picked })}
          <Button size="compact-xs" variant="default" onClick={() => pick("")}>
            {say("pair.leave")}
          </Button>
        </p>
      )}
    </div>
  );
}
