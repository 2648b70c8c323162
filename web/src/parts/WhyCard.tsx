/// Why: the sentence, and the next step.
import type { WhyOut } from "../api/types.ts";

export function WhyCard({ why }: { why: WhyOut }) {
  return (
    <div className="why">
      <p>{why.sentence}</p>
      {why.hint && <p className="soft">{why.hint}</p>}
    </div>
  );
}
