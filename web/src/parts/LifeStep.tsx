/// One step of how something went, with its instant; nothing where it has not come so far.
import { At } from "./Times.tsx";

export function LifeStep({ word, at }: { word: string; at: string | null }) {
  if (at === null) return null;
  return (
    <li>
      <span>{word}</span>
      <span className="soft small">
        <At iso={at} />
      </span>
    </li>
  );
}
