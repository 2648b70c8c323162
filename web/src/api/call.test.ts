/// The age of what is on the screen, as answers say it.
import { afterEach, expect, test, vi } from "vitest";
import { setReplicaAge } from "../live/status.ts";
import { addressOf, call, lookAt } from "./call.ts";

vi.mock("../live/status.ts", () => ({ setReplicaAge: vi.fn() }));
afterEach(() => vi.unstubAllGlobals());

function answers(status: number, headers: Record<string, string> = {}): void {
  vi.stubGlobal("fetch", async () => new Response("{}", { status, headers }));
}

test("an answer of a replica tells its age, one of the store takes it away, and a refusal says nothing of it", async () => {
  answers(200, { "Foliot-Replica-Age": "14" });
  await call("get_cluster");
  expect(setReplicaAge).toHaveBeenLastCalledWith(14);
  answers(503);
  await expect(call("get_cluster")).rejects.toThrow();
  expect(setReplicaAge).toHaveBeenCalledTimes(1);
  answers(200);
  await call("get_cluster");
  expect(setReplicaAge).toHaveBeenLastCalledWith(null);
});

test("lists are of the namespace that is chosen, unless they name their own; single things stay what they are", () => {
  lookAt("pay");
  expect(addressOf("list_jobs", { query: { q: "tick" } })).toBe("/api/v1/jobs?namespace=pay&q=tick");
  expect(addressOf("list_runs", { query: { namespace: "mail" } })).toBe("/api/v1/runs?namespace=mail");
  const one = addressOf("get_job", { path: { name: "tick" }, query: { namespace: "mail" } });
  expect(one).toBe("/api/v1/jobs/tick?namespace=mail");
  expect(addressOf("get_cluster", {})).toBe("/api/v1/cluster");
  lookAt("");
  expect(addressOf("list_jobs", {})).toBe("/api/v1/jobs");
});

test("what is sent again has the same key, and another reason under the same intent has another", async () => {
  const keys: (string | null)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("Idempotency-Key"));
    return new Response("{}");
  });
  const pause = (key: string, reason: string) =>
    call("pause_job", { path: { name: "settle" }, body: { reason }, key });
  await pause("one", "month end");
  await pause("one", "month end");
  await pause("one", "end of the month");
  await pause("two", "month end");
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[0]).toMatch(/^one-\w+$/);
});
