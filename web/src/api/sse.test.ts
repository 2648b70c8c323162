import { expect, test } from "vitest";
import { EventReader, readEvents, type ServerEvent } from "./sse.ts";

const TEXT = 'id: 7\nevent: run.ended\ndata: {"a":1}\n\n: still here\n\ndata: one\ndata: two\n\n';
const EVENTS = [
  { id: "7", name: "run.ended", data: '{"a":1}' },
  { id: "7", name: "message", data: "one\ntwo" },
];

test("events come out whole, however the bytes are cut", () => {
  for (let size = 1; size <= TEXT.length; size++) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < TEXT.length; at += size) found.push(...reader.push(TEXT.slice(at, at + size)));
    expect(found).toEqual(EVENTS);
  }
});

test("every end of a line counts, and one that is cut in the middle counts once", () => {
  const reader = new EventReader();
  const found = [...reader.push("data: a\r"), ...reader.push("\ndata: b\r\n\r"), ...reader.push("\n")];
  expect(found).toEqual([{ id: "", name: "message", data: "a\nb" }]);
});

test("an event without data is no event, and empty data is one", () => {
  expect(new EventReader().push("event: hello\n\n")).toEqual([]);
  expect(new EventReader().push("event: end\ndata: \n\n")).toEqual([{ id: "", name: "end", data: "" }]);
});

test("a letter that is cut between two pieces of the stream comes out whole", async () => {
  const bytes = new TextEncoder().encode("id: 9\nevent: job.paused\ndata: 结算暂停\n\n");
  const body = new ReadableStream<Uint8Array>({
    start(writer) {
      for (const byte of bytes) writer.enqueue(Uint8Array.of(byte));
      writer.close();
    },
  });
  const found: ServerEvent[] = [];
  await readEvents(body, (events) => found.push(...events));
  expect(found).toEqual([{ id: "9", name: "job.paused", data: "结算暂停" }]);
});
