/// A state as glyph and word.

import { glyphOf, toneOf } from "../format/states.ts";
import { isWord, useSay } from "../words/say.ts";

type Family =
  | "state"
  | "job"
  | "health"
  | "decision"
  | "fill"
  | "grade"
  | "outcome"
  | "drill"
  | "level"
  | "alert"
  | "delivery"
  | "checkstate"
  | "ping";

export function State({ of, family = "state" }: { of: string; family?: Family }) {
  const say = useSay();
  const word = `${family}.${of}`;
  return (
    <span className={`state tone-${toneOf(of)}`}>
      <span aria-hidden="true">{glyphOf(of)}</span>
      {isWord(word) ? say(word) : of.toLowerCase()}
    </span>
  );
}
