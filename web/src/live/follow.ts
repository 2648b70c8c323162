/// Keeps one stream of changes open: goes on where it broke, waits a little longer after each failure.
import { ProblemError, stream } from "../api/call.ts";
import { readEvents } from "../api/sse.ts";
import { type Change, readChange } from "./changes.ts";
import { setLive } from "./status.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/** Follows changes until the signal ends it. A hidden page is not followed; it catches up when it is seen again. */
export async function follow(take: (change: Change) => void, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let waitMs = FIRST_WAIT_MS;
  let wasCut = false;
  let sinceMs = Date.now();
  while (!signal.aborted) {
    await seen(signal);
    if (signal.aborted) return;
    const hidden = new AbortController();
    const onHide = () => document.visibilityState === "hidden" && hidden.abort();
    document.addEventListener("visibilitychange", onHide);
    try {
      const headers: Record<string, string> = lastId ? { "Last-Event-ID": lastId } : {};
      const both = AbortSignal.any([signal, hidden.signal]);
      const body = await stream("stream_events", { headers, signal: both });
      waitMs = FIRST_WAIT_MS;
      setLive({ is: "live" });
      // What happened while the stream was cut and no id was known yet can only be read anew.
      if (wasCut && !lastId) take({ kind: "reset", subject: "", namespace: null, data: {} });
      await readEvents(body, (events) => {
        for (const event of events) {
          if (event.id) lastId = event.id;
          const change = readChange(event.name, event.data);
          if (change) take(change);
        }
      });
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) {
        setLive({ is: "paused" });
        return;
      }
    } finally {
      document.removeEventListener("visibilitychange", onHide);
    }
    if (signal.aborted) return;
    if (hidden.signal.aborted) {
      setLive({ is: "paused" });
      wasCut = true;
      continue;
    }
    if (!wasCut) sinceMs = Date.now();
    wasCut = true;
    setLive({ is: "waiting", untilMs: Date.now() + waitMs, sinceMs });
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

function seen(signal: AbortSignal): Promise<void> {
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
