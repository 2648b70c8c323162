/// Server-sent events out of a stream of bytes.

export interface ServerEvent {
  id: string;
  name: string;
  data: string;
}

/** Takes text as it comes and gives whole events; a part of an event waits for its rest. */
export class EventReader {
  private rest = "";
  private id = "";
  private name = "";
  private data: string[] = [];

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    // A "\r" at the end may be half of "\r\n": it waits for what follows.
    const whole = this.rest + text;
    const held = whole.endsWith("\r") ? 1 : 0;
    const lines = whole.slice(0, whole.length - held).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + whole.slice(whole.length - held);
    for (const line of lines) {
      const event = this.take(line);
      if (event) found.push(event);
    }
    return found;
  }

  private take(line: string): ServerEvent | null {
    if (line === "") return this.finish();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") this.id = value;
    if (field === "event") this.name = value;
    if (field === "data") this.data.push(value);
    return null;
  }

  private finish(): ServerEvent | null {
    const event = { id: this.id, name: this.name || "message", data: this.data.join("\n") };
    const isEmpty = this.data.length === 0;
    this.name = "";
    this.data = [];
    return isEmpty ? null : event;
  }
}

/** Reads a stream to its end and hands on each event. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  take: (events: ServerEvent[]) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const found = events.push(decoder.decode(value, { stream: true }));
    take(found);
  }
}
