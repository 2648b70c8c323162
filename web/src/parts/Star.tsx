/// The star of a job: whether it is one of the user's favourites.
import { ActionIcon } from "@mantine/core";
import { Icon } from "../look/Icon.tsx";
import { useSay } from "../words/say.ts";
import type { Favourites } from "./favourites.ts";

interface Props {
  job: { namespace: string; name: string };
  /** Read once for a whole list. */
  favourites: Favourites;
}

export function Star({ job, favourites }: Props) {
  const say = useSay();
  const { has, toggle, jobs } = favourites;
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
