/// Which lines of all shards of a run came already: a stream that goes on repeats those of its last seconds.

const KEPT_US = 30_000_000; // a server repeats 10 s
const MANY = 1000; // lines; then those of long ago are forgotten

/** The id of such a line is `written:run:attempt:offset`, the first in microseconds. Other logs repeat nothing. */
export class ToldLines {
  /** Where to go on: the newest. A line that became visible late is older than those before it. */
  last = "";
  private newest = 0;
  private told = new Map<string, number>();
  private many = MANY;

  /** Whether a line came before; from now on it did. */
  isRepeated(id: string): boolean {
    const parts = id.split(":");
    if (parts.length !== 4) {
      this.last = id || this.last;
      return false;
    }
    if (this.told.has(id)) return true;
    const at = Number(parts[0]);
    this.told.set(id, at);
    if (at >= this.newest) {
      this.newest = at;
      this.last = id;
    }
    if (this.told.size > this.many) this.forget();
    return false;
  }

  get size(): number {
    return this.told.size;
  }

  private forget() {
    for (const [id, at] of this.told) if (at < this.newest - KEPT_US) this.told.delete(id);
    this.many = 2 * this.told.size + MANY;
  }
}
