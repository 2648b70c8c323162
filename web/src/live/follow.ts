/// Keeps one stream of changes open: goes on where it broke, waits a little longer after each failure.
import { ProblemError, stream } from "../api/call.ts";
import { readEvents } from "../api/sse.ts";
import { BACK, type Change, RESET, readChange } from "./changes.ts";
import { seen, whileSeen } from "./seen.ts";
import { setLive } from "./status.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/** Follows changes until the signal ends it. A hidden page is not followed; it catches up when it is seen again. */
export async function follow(take: (change: Change) => void, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let waitMs = FIRST_WAIT_MS;
  let wasCut = false;
  let sinceMs = Date.now();

  const read = async (both: AbortSignal) => {
    const headers: Record<string, string> = lastId ? { "Last-Event-ID": lastId } : {};
    const body = await stream("stream_events", { headers, signal: both });
    waitMs = FIRST_WAIT_MS;
    setLive({ is: "live" });
    // What happened while the stream was cut and no id was known yet can only be read anew. With an id the server
    // tells what was missed, but not what failed to be read meanwhile.
    if (wasCut) take(lastId ? BACK : RESET);
    wasCut = false;
    await readEvents(body, (events) => {
      for (const event of events) {
        if (event.id) lastId = event.id;
        const change = readChange(event.name, event.data);
        if (change) take(change);
      }
    });
  };

  while (!signal.aborted) {
    await seen(signal);
    if (signal.aborted) return;
    let isHidden = false;
    try {
      isHidden = (await whileSeen(signal, read)) === "hidden";
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) {
        setLive({ is: "paused" });
        return;
      }
    }
    if (signal.aborted) return;
    if (isHidden) {
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
