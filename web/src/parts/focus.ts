/// Where the focus is while dialogs come and go.
import { useEffect, useState } from "react";

/** Gives the focus back to what had it before the dialog, when the dialog goes: keys go on from there. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    },
    [before],
  );
}
