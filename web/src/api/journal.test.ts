/// The day of a job is whole, however much others do on it.
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { dayOfJob, wholeJournal } from "./journal.ts";

vi.mock("../live/status.ts", () => ({ setReplicaAge: vi.fn() }));
afterEach(() => vi.unstubAllGlobals());

const event = (id: number, kind: string, topic: string) => ({ id, kind, topic, subject: "", data: {} });

/** A server whose pages are these, by the topic and the cursor; what it was asked. */
function journal(pages: Record<string, { items: object[]; next_cursor: string | null }>): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    const query = new URL(address, "http://h").searchParams;
    asked.push(query);
    return Response.json(pages[`${query.get("topic")} ${query.get("cursor") ?? ""}`.trim()]);
  });
  return asked;
}

test("the day of a job asks for the job by its name, and of the cluster it takes clocks, leaders and the store", async () => {
  const asked = journal({
    jobs: { items: [event(7, "job.paused", "jobs")], next_cursor: null },
    cluster: { items: [event(9, "login.redeemed", "cluster")], next_cursor: "9" }, // a page of what others did
    "cluster 9": { items: [event(8, "clock.stepped_back", "cluster")], next_cursor: "8" },
    "cluster 8": { items: [], next_cursor: "5" }, // nothing among the rows that were looked at
    "cluster 5": { items: [event(2, "leader.changed", "cluster")], next_cursor: null },
  });
  const found = await new QueryClient().fetchQuery(dayOfJob("pay", "settle", "2026-11-18", "2026-11-19"));
  expect(found.items.map(({ id }) => id)).toEqual([8, 7, 2]);
  expect(found.isCut).toBe(false);
  const own = asked.find((query) => query.get("topic") === "jobs");
  expect([own?.get("subject"), own?.get("namespace"), own?.get("since")]).toEqual([
    "settle",
    "pay",
    "2026-11-18",
  ]);
});

test("the reading ends, and says that there is more", async () => {
  const asked = journal({
    cluster: { items: [], next_cursor: "1" },
    "cluster 1": { items: [], next_cursor: "1" },
  });
  const found = await wholeJournal({ topic: "cluster", since: "", until: "" });
  expect(found).toEqual({ items: [], isCut: true });
  expect(asked.length).toBe(10);
});
