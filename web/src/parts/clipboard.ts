/// Copying a text. Browsers have a clipboard on HTTPS and on localhost alone; elsewhere a selected text is copied.

/** Copies a text. Whether it is in the clipboard now. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copySelected(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text); // the clipboard was refused: a selected text may still be copied
  }
}

/** The way of old browsers: a field with the text, selected for a moment. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "hidden";
  field.value = text;
  // A dialog keeps the focus within itself: the field stands in it.
  (before?.closest("[role=dialog]") ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
