import { expect, test } from "vitest";
import { freshly, type Held, heldBack, isSame } from "./held.ts";

interface Item {
  id: string;
  says: string;
}

const item = (id: string, says = ""): Item => ({ id, says });
const keyOf = ({ id }: Item) => id;
const after = (before: Held<Item>, ...came: Item[]) => heldBack(before, came, keyOf);
const ids = ({ rows }: Held<Item>) => rows.map(({ item, isGone }) => (isGone ? `(${item.id})` : item.id));
const list = freshly([item("a"), item("b"), item("c")]);

test("new ones wait and are counted, in front of the rows and between them", () => {
  const held = after(list, item("x"), item("a"), item("y"), item("b"), item("c"));
  expect(ids(held)).toEqual(["a", "b", "c"]);
  expect(held.waiting).toBe(2);
});

test("rows change in place, and another order is none while somebody is there", () => {
  const held = after(list, item("c"), item("b", "changed"), item("a"));
  expect(ids(held)).toEqual(["a", "b", "c"]);
  expect(held.rows[1]?.item.says).toBe("changed");
  expect(held.waiting).toBe(0);
});

test("what is gone keeps its place, and what comes back is no new one", () => {
  const held = after(list, item("a"), item("c"));
  expect(ids(held)).toEqual(["a", "(b)", "c"]);
  expect(ids(after(held, item("a"), item("b"), item("c")))).toEqual(["a", "b", "c"]);
});

test("what stands behind all rows goes there at once: nothing moves", () => {
  const held = after(list, item("x"), item("a"), item("b"), item("c"), item("d"));
  expect(ids(held)).toEqual(["a", "b", "c", "d"]);
  expect(held.waiting).toBe(1);
});

test("where none is left the rows stay, and all that came waits", () => {
  const held = after(list, item("x"), item("y"));
  expect(ids(held)).toEqual(["(a)", "(b)", "(c)"]);
  expect(held.waiting).toBe(2);
  expect(ids(after(freshly([]), item("x")))).toEqual(["x"]); // nobody has the pointer on a row that is not there
});

test("a list that is read again and says the same is the same", () => {
  const [one, other] = [item("a"), item("b")];
  expect(isSame([one, other], [one, other])).toBe(true);
  expect(isSame([one], [one, other])).toBe(false);
  expect(isSame([one], [other])).toBe(false);
});
