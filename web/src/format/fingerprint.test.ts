import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";

test("the same text has the same fingerprint, texts that differ a little have others", () => {
  const texts = ["", "a", "b", "ab", "ba", '{"reason":"month end"}', '{"reason":"month end."}', "月末"];
  expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  for (const text of texts) expect(fingerprint(text)).toBe(fingerprint(`${text}`));
});
