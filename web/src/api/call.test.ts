/// The age of what is on the screen, as answers say it.
import { afterEach, expect, test, vi } from "vitest";
import { setReplicaAge } from "../live/status.ts";
import { call } from "./call.ts";

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
