/// Keeps one stream of changes open: goes on where it broke, waits a little longer after each failure. Where something
/// between browser and server lets no stream through, everything is read anew now and then.
import { ProblemError, stream } from "../api/call.ts";
import { readEvents } from "../api/sse.ts";
import { BACK, type Change, RESET, readChange } from "./changes.ts";
import { seen, whileSeen } from "./seen.ts";
import { setLive } from "./status.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const FIRST_WITHIN_MS = 10_000; // a server says hello at once
const SILENT_MS = 45_000; // and something every 15 s: a connection that is silent for longer is not there any more

/** Follows changes until the signal ends it. A hidden page is not followed; it catches up when it is seen again. */
export async function follow(take: (change: Change) => void, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let waitMs = FIRST_WAIT_MS;
  let wasCut = false;
  let heardMs = Date.now(); // what is on the screen is as old as the last sign of the server

  const begin = () => {
    waitMs = FIRST_WAIT_MS;
    setLive({ is: "live" });
    // What happened while the stream was cut and no id was known yet can only be read anew. With an id the server
    // tells what was missed, but not what failed to be read meanwhile.
    if (wasCut) take(lastId ? BACK : RESET);
    wasCut = false;
  };

  const read = async (both: AbortSignal) => {
    const silence = new Silence(FIRST_WITHIN_MS);
    try {
      const headers: Record<string, string> = lastId ? { "Last-Event-ID": lastId } : {};
      const signal = AbortSignal.any([both, silence.signal]);
      await readAll(await stream("stream_events", { headers, signal }), silence);
    } catch (error) {
      if (silence.isOver && !silence.isBroken) throw new NoStream();
      throw error;
    } finally {
      silence.end();
    }
  };

  const readAll = async (body: ReadableStream<Uint8Array>, silence: Silence) => {
    await readEvents(body, (events) => {
      if (!silence.isBroken) begin();
      silence.breakFor(SILENT_MS);
      heardMs = Date.now();
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
    let isPolled = false;
    try {
      isHidden = (await whileSeen(signal, read)) === "hidden";
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) {
        setLive({ is: "paused" });
        return;
      }
      isPolled = isWithoutStream(error);
    }
    if (signal.aborted) return;
    if (isPolled) {
      setLive({ is: "polled" });
      wasCut = true;
      heardMs = Date.now();
      take(RESET);
      await pause(LONGEST_WAIT_MS, signal);
      continue;
    }
    if (isHidden) {
      setLive({ is: "paused" });
      wasCut = true;
      continue;
    }
    wasCut = true;
    setLive({ is: "waiting", untilMs: Date.now() + waitMs, sinceMs: heardMs });
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Something answers, and no stream comes through it. */
class NoStream extends Error {}

function isWithoutStream(error: unknown): boolean {
  if (error instanceof NoStream) return true;
  return error instanceof ProblemError && error.status >= 400 && error.status < 500;
}

/** Ends a stream that says nothing for too long. */
class Silence {
  private readonly control = new AbortController();
  private timer: ReturnType<typeof setTimeout>;
  /** Whether something came at all. */
  isBroken = false;

  constructor(ms: number) {
    this.timer = setTimeout(() => this.control.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  get isOver(): boolean {
    return this.control.signal.aborted;
  }

  breakFor(ms: number): void {
    this.isBroken = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.control.abort(), ms);
  }

  end(): void {
    clearTimeout(this.timer);
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
