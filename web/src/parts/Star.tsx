/// The star of a job: whether it is one of the user's favourites.
import { ActionIcon } from "@mantine/core";
import { Icon } from "../look/Icon.tsx";
import { useSay } from "../words/say.ts";
import { useFavourites } from "./favourites.ts";

export function Star({ job }: { job: { namespace: string; name: string } }) {
  const say = useSay();
  const { has, toggle, jobs } = useFavourites();
  const isOne = has(job);
  const label = say(isOne ? "star.remove" : "star.add", { job: job.name });
  return (
    <ActionIcon
      className={isOne ? "star on" : "star"}
      variant="transparent"
      size="sm"
      aria-label={label}
      aria-pressed={isOne}
      title={label}
      disabled={jobs === undefined}
      onClick={() => void toggle(job)}
    >
      <Icon name="star" size={16} />
    </ActionIcon>
  );
}
