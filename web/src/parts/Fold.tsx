/// What is seen on demand: it is drawn when it is opened, so that a page with it comes no later.
import { type ReactNode, useState } from "react";

export function Fold({ says, children }: { says: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="soft small">{says}</summary>
      {isOpen && children()}
    </details>
  );
}
