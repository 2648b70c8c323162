import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hold, putAway, readNotices, release, tell, tellProblem } from "./notices.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const notice of readNotices()) putAway(notice.id);
  vi.useRealTimers();
});

const texts = () => readNotices().map((notice) => notice.text);

test("what happened is shown for six seconds", () => {
  tell("paused");
  vi.advanceTimersByTime(5999);
  expect(texts()).toEqual(["paused"]);
  vi.advanceTimersByTime(1);
  expect(texts()).toEqual([]);
});

test("what somebody looks at stays, and its time begins anew when they look away", () => {
  tell("paused");
  const id = readNotices()[0]?.id ?? 0;
  vi.advanceTimersByTime(5000);
  hold(id);
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual(["paused"]);
  release(id);
  vi.advanceTimersByTime(5999);
  expect(texts()).toEqual(["paused"]);
  vi.advanceTimersByTime(1);
  expect(texts()).toEqual([]);
});

test("a problem stays until it is put away, whoever looks away from it", () => {
  tellProblem({ title: "It was refused.", hint: "Ask again.", code: "FOL-4001" });
  const [problem] = readNotices();
  expect(problem?.problem).toEqual({ hint: "Ask again.", code: "FOL-4001" });
  release(problem?.id ?? 0);
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual(["It was refused."]);
  putAway(problem?.id ?? 0);
  expect(texts()).toEqual([]);
});

test("three at a time: the oldest goes", () => {
  for (const text of ["one", "two", "three", "four"]) tell(text);
  expect(texts()).toEqual(["two", "three", "four"]);
  vi.advanceTimersByTime(6000);
  expect(texts()).toEqual([]);
});
