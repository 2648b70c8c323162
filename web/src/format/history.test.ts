import { expect, test } from "vitest";
import { KEPT, points, withBeat } from "./history.ts";

const node = (cpu: number, at: string) => ({ id: "n-1", load: { cpu }, last_beat_at: at });

test("each beat adds one figure, and a beat that was seen adds none", () => {
  let history = withBeat({}, [node(0.1, "a")]);
  history = withBeat(history, [node(0.1, "a")]);
  history = withBeat(history, [node(0.2, "b")]);
  expect(history["n-1"]?.values.cpu).toEqual([0.1, 0.2]);
});

test("old figures and nodes that are gone are forgotten", () => {
  let history = withBeat({}, [{ ...node(1, "x"), id: "n-2" }]);
  for (let beat = 0; beat < KEPT + 5; beat++) history = withBeat(history, [node(beat, String(beat))]);
  expect(history["n-1"]?.values.cpu).toHaveLength(KEPT);
  expect(history["n-1"]?.values.cpu?.[0]).toBe(5);
  expect(history["n-2"]).toBeUndefined();
});

test("the newest figure stands at the right edge, and the highest at the top", () => {
  expect(points([0, 1], 1, 59, 10)).toBe("58,10 59,0");
});
