/// A call of the API as it is shown to be copied: just what the console sends.
import type { Asked } from "../format/snippets.ts";
import { addressOf, type Given } from "./call.ts";
import { type Operations, ROUTES } from "./types.ts";

export function asked<K extends keyof Operations>(name: K, given: Given<K> = {}): Asked {
  const [method] = ROUTES[name];
  const { body, headers = {} } = given;
  return { method, path: addressOf(name, given), body, headers };
}
