/// The star of a job: whether it is one of the user's favourites.
import { tellProblem } from "../live/notices.ts";
import { useSay } from "../words/say.ts";
import type { Favourites } from "./favourites.ts";
import { IconButton } from "./IconButton.tsx";
import { useProblem } from "./Problem.tsx";

interface Props {
  job: { namespace: string; name: string };
  /** Read once for a whole list. */
  favourites: Favourites;
}

export function Star({ job, favourites }: Props) {
  const say = useSay();
  const problem = useProblem();
  const { has, toggle, jobs } = favourites;
  const isOne = has(job);
  const label = say(isOne ? "star.remove" : "star.add", { job: job.name });
  return (
    <IconButton
      icon="star"
      label={label}
      className={isOne ? "star on" : "star"}
      aria-pressed={isOne}
      disabled={jobs === undefined}
      onClick={() => void toggle(job).catch((error: Error) => tellProblem(problem(error)))}
    />
  );
}
