import { expect, test } from "vitest";
import { Coming, MissingPart } from "./coming.ts";

/** A file that does not come as often as said, and then comes. */
function file(failures: number) {
  const asked = { times: 0 };
  const load = () => {
    asked.times += 1;
    return asked.times > failures ? Promise.resolve("here") : Promise.reject(new TypeError("refused"));
  };
  return { asked, coming: new Coming(load) };
}

test("what came is asked for once, and is there without a promise", async () => {
  const { asked, coming } = file(0);
  expect(await Promise.all([coming.ask(), coming.ask()])).toEqual(["here", "here"]);
  coming.forgetFailure();
  await coming.again();
  expect(coming.here).toBe("here");
  expect(asked.times).toBe(1);
});

test("what did not come is not asked for by looking again, and comes when somebody asks again", async () => {
  const { asked, coming } = file(1);
  const failed = coming.ask();
  await expect(failed).rejects.toThrow(MissingPart);
  expect(coming.ask()).toBe(failed);
  const error = await failed.catch((found: MissingPart) => found);
  if (error instanceof MissingPart) error.forget();
  expect(await coming.ask()).toBe("here");
  expect(asked.times).toBe(2);
});

test("a page that is opened again asks again, and never breaks the router", async () => {
  const { asked, coming } = file(1);
  await coming.again();
  expect(coming.here).toBeNull();
  await coming.again();
  expect(coming.here).toBe("here");
  expect(asked.times).toBe(2);
});
