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

/** Goes to the first field that is marked as wrong, once what is wrong stands at its field. */
export function focusFirstWrong(form: HTMLElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
