/// Where the focus is while dialogs come and go.
import { useEffect, useState } from "react";

/** The box above the rows takes the focus, and the page stays where it is. */
export function focusRows(): void {
  document.querySelector<HTMLElement>("thead .choose")?.focus({ preventScroll: true });
}

/** Gives the focus back to what had it before the dialog, when the dialog goes: keys go on from there. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (!(before instanceof HTMLElement)) return;
      if (before.isConnected) before.focus();
      else if (before.closest(".chosenbar")) focusRows(); // the bar went with what was chosen
    },
    [before],
  );
}

/** Goes to the first field that is marked as wrong, once what is wrong stands at its field. */
export function focusFirstWrong(form: HTMLElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
