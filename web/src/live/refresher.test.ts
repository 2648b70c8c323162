import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refresher } from "./refresher.ts";

let client: QueryClient;
let refresher: Refresher;
let answer: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  refresher = new Refresher(client);
  answer = [];
});
afterEach(() => {
  refresher.stop();
  client.clear();
  vi.useRealTimers();
});

/** A list on the screen; its answers come at once, or when the test gives them. */
async function shown(key: string, how: "quick" | "slow" = "quick") {
  const ask = vi.fn(() =>
    how === "quick" || ask.mock.calls.length === 1
      ? Promise.resolve(ask.mock.calls.length)
      : new Promise<number>((resolve) => answer.push(() => resolve(ask.mock.calls.length))),
  );
  new QueryObserver(client, { queryKey: [key], queryFn: ask }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledTimes(1);
  return ask;
}

test("the first change is read at once, a thousand more of runs within a second once more", async () => {
  const ask = await shown("jobs");
  for (let change = 0; change < 1000; change++) {
    refresher.add([{ what: "jobs" }], "gathered");
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(3);
});

test("what somebody did does not wait for the second that runs wait for", async () => {
  const ask = await shown("jobs");
  refresher.add([{ what: "jobs" }], "gathered");
  await vi.advanceTimersByTimeAsync(10);
  refresher.add([{ what: "jobs" }], "gathered");
  refresher.add([{ what: "jobs" }], "soon");
  await vi.advanceTimersByTimeAsync(100);
  expect(ask).toHaveBeenCalledTimes(3);
});

test("a slow answer is awaited, not asked for again and again, and asked for once more behind it", async () => {
  const ask = await shown("jobs", "slow");
  for (let change = 0; change < 50; change++) {
    refresher.add([{ what: "jobs" }], "gathered");
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(ask).toHaveBeenCalledTimes(2);
  answer[0]?.();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(3);
  answer[1]?.();
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledTimes(3);
});

test("only what could not be read is read again when the server answers again", async () => {
  const good = await shown("jobs");
  const bad = vi.fn(() => Promise.reject(new Error("away")));
  new QueryObserver(client, { queryKey: ["cluster"], queryFn: bad, retry: false }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(1000);
  refresher.add([{ what: "failures" }], "soon");
  await vi.advanceTimersByTimeAsync(1000);
  expect(bad).toHaveBeenCalledTimes(2);
  expect(good).toHaveBeenCalledTimes(1);
});
