import { expect, test } from "vitest";
import type { EventOut } from "../api/types.ts";
import { termsOf } from "./terms.ts";

const elected = (term: number, at: string, subject: string): EventOut => ({
  id: term,
  at,
  topic: "cluster",
  kind: "leader.elected",
  subject,
  by: "",
  namespace: null,
  data: { term },
});
const SINCE = Date.parse("2026-11-16T00:00:00Z");

test("terms stand in the order of time, and the one before the first election has no name", () => {
  const events = [elected(3, "2026-11-16T02:00:00Z", "s-2"), elected(2, "2026-11-16T01:00:00Z", "s-1")];
  const terms = termsOf(events, { leader: "s-2", term: 3 }, SINCE);
  expect(terms.map((term) => [term.number, term.leader])).toEqual([
    [1, "?"],
    [2, "s-1"],
    [3, "s-2"],
  ]);
});

test("without an election in the range, the leader of now led all the time", () => {
  expect(termsOf([], { leader: "s-1", term: 7 }, SINCE)).toEqual([
    { number: 7, leader: "s-1", fromMs: SINCE },
  ]);
});

test("the first term of all has none before it, and no leader means no term", () => {
  expect(
    termsOf([elected(1, "2026-11-16T01:00:00Z", "s-1")], { leader: "s-1", term: 1 }, SINCE),
  ).toHaveLength(1);
  expect(termsOf([], { leader: null, term: 7 }, SINCE)).toEqual([]);
});
