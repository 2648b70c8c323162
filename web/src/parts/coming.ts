/// Something that is asked for once and kept; after a failure it is asked for again when somebody wants that.

/** It did not come: the connection broke, or the server has a newer console by now. */
export class MissingPart extends Error {
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super(`a part of the console did not come: ${String(cause)}`);
    this.forget = forget;
  }
}

export class Coming<T> {
  /** What came, at once and without a promise. */
  here: T | null = null;
  private readonly load: () => Promise<T>;
  private asked: Promise<T> | null = null;
  private hasFailed = false;

  constructor(load: () => Promise<T>) {
    this.load = load;
  }

  /** The same promise for everybody, also when it failed: what draws it does not ask by drawing again. */
  ask(): Promise<T> {
    this.asked ??= this.load().then(
      (found) => {
        this.here = found;
        return found;
      },
      (cause: unknown) => {
        this.hasFailed = true;
        throw new MissingPart(cause, () => this.forgetFailure());
      },
    );
    return this.asked;
  }

  /** From now on it is asked for anew. What is on its way stays on its way. */
  forgetFailure(): void {
    if (this.hasFailed) this.asked = null;
    this.hasFailed = false;
  }

  /** Asks anew after a failure; whoever draws it says what went wrong. */
  async again(): Promise<void> {
    this.forgetFailure();
    await this.ask().catch(() => undefined);
  }
}
