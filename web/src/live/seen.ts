/// Whether somebody sees the page. A stream is one of the six connections that a browser has for a server: a hidden
/// page gives its own back, and goes on where it broke when it is seen again.

/** Waits until the page is seen, or until the signal ends the wait. */
export function seen(signal: AbortSignal): Promise<void> {
  if (document.visibilityState !== "hidden") return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === "hidden" && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}

/** Does something with a signal that also ends it when the page is hidden; says whether that happened. */
export async function whileSeen(
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<void>,
): Promise<"done" | "hidden"> {
  const hidden = new AbortController();
  const onHide = () => document.visibilityState === "hidden" && hidden.abort();
  document.addEventListener("visibilitychange", onHide);
  try {
    await act(AbortSignal.any([signal, hidden.signal]));
  } catch (error) {
    if (!hidden.signal.aborted) throw error;
  } finally {
    document.removeEventListener("visibilitychange", onHide);
  }
  return hidden.signal.aborted ? "hidden" : "done";
}
