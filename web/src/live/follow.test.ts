import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Change } from "./changes.ts";
import { follow } from "./follow.ts";
import { readLive } from "./status.ts";

/** A server whose streams the test writes and cuts. */
class Streams {
  readonly asked: (string | null)[] = []; // the `Last-Event-ID` of each
  isAway = false;
  isMute = false; // something in between lets no stream through
  private writer: ReadableStreamDefaultController<Uint8Array> | null = null;

  fetch = (_: string, init: RequestInit): Promise<Response> => {
    if (this.isAway) return Promise.reject(new TypeError("refused"));
    this.asked.push(new Headers(init.headers).get("Last-Event-ID"));
    const body = new ReadableStream<Uint8Array>({
      start: (writer) => {
        this.writer = writer;
        if (!this.isMute) writer.enqueue(new TextEncoder().encode("event: hello\ndata: {}\n\n"));
        init.signal?.addEventListener("abort", () => writer.error(init.signal?.reason));
      },
    });
    return Promise.resolve(new Response(body));
  };

  async write(text: string): Promise<void> {
    this.writer?.enqueue(new TextEncoder().encode(text));
    await vi.advanceTimersByTimeAsync(0);
  }

  async cut(): Promise<void> {
    this.writer?.close();
    await vi.advanceTimersByTimeAsync(0);
  }
}

const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
let streams: Streams;
let end: AbortController;
let taken: string[];

beforeEach(async () => {
  vi.useFakeTimers();
  streams = new Streams();
  end = new AbortController();
  taken = [];
  page.visibilityState = "visible";
  vi.stubGlobal("document", page);
  vi.stubGlobal("fetch", streams.fetch);
  void follow((change: Change) => taken.push(change.kind), end.signal);
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => {
  end.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function setSeen(isSeen: boolean): Promise<void> {
  page.visibilityState = isSeen ? "visible" : "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(0);
}

test("a stream that is cut goes on behind the last change, and what could not be read is read again", async () => {
  await streams.write("id: 7\nevent: job.paused\ndata: {}\n\n");
  await streams.cut();
  await vi.advanceTimersByTimeAsync(1000);
  expect(streams.asked).toEqual([null, "7"]);
  expect(taken).toEqual(["job.paused", "back"]);
});

test("one that is cut before its first change is read anew as a whole", async () => {
  await streams.cut();
  await vi.advanceTimersByTimeAsync(1000);
  expect(taken).toEqual(["reset"]);
});

test("a server that is away is asked ever more seldom: eight times in a minute and a half, not ninety", async () => {
  streams.isAway = true;
  const ask = vi.spyOn(streams, "fetch");
  vi.stubGlobal("fetch", streams.fetch);
  await streams.cut();
  await vi.advanceTimersByTimeAsync(90_000);
  expect(ask.mock.calls.length).toBeLessThanOrEqual(9);
  streams.isAway = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(taken).toEqual(["reset"]);
});

test("a hidden page gives its connection back, and goes on where it was when it is seen again", async () => {
  await streams.write("id: 9\nevent: run.ended\ndata: {}\n\n");
  await setSeen(false);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(streams.asked).toEqual([null]);
  await setSeen(true);
  expect(streams.asked).toEqual([null, "9"]);
});

test("where no stream comes through, everything is read anew about twice a minute, until one does", async () => {
  await streams.write("id: 3\nevent: run.ended\ndata: {}\n\n");
  streams.isMute = true;
  await streams.cut();
  await vi.advanceTimersByTimeAsync(50_000);
  expect(taken).toEqual(["run.ended", "reset", "reset"]);
  streams.isMute = false;
  await vi.advanceTimersByTimeAsync(25_000);
  expect(taken.at(-1)).toBe("back");
});

test("a connection that is silent for too long is given up, and the stream goes on with another", async () => {
  await streams.write("id: 5\nevent: run.ended\ndata: {}\n\n");
  for (let comment = 0; comment < 6; comment++) {
    await vi.advanceTimersByTimeAsync(15_000);
    await streams.write(": 15 s\n\n");
  }
  expect(streams.asked).toEqual([null]);
  await vi.advanceTimersByTimeAsync(45_000 + 1000);
  expect(streams.asked).toEqual([null, "5"]);
  expect(taken).toEqual(["run.ended", "back"]);
});

test("stale is since the server was last heard, not since the page was opened or hidden for the first time", async () => {
  await vi.advanceTimersByTimeAsync(20_000);
  await streams.write(": 15 s\n\n");
  const heardMs = Date.now();
  await setSeen(false);
  await vi.advanceTimersByTimeAsync(600_000);
  await setSeen(true); // the server is heard again
  expect(readLive()).toEqual({ is: "live" });
  const againMs = Date.now();
  streams.isAway = true;
  await vi.advanceTimersByTimeAsync(30_000);
  await streams.cut();
  expect(readLive()).toMatchObject({ is: "waiting", sinceMs: againMs });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(readLive()).toMatchObject({ is: "waiting", sinceMs: againMs });
  expect(againMs).toBe(heardMs + 600_000);
});

test("a page that was hidden while the server went away is stale since it was hidden", async () => {
  const heardMs = Date.now();
  await setSeen(false);
  streams.isAway = true;
  await vi.advanceTimersByTimeAsync(600_000);
  await setSeen(true);
  expect(readLive()).toMatchObject({ is: "waiting", sinceMs: heardMs });
});
