import { PrivacyError } from "./error.ts";

/** For mechanisms only, from the subpath `@dosimeter/core/exact`; a test lists who imports it. */
export let reveal: <T>(exact: Exact<T>) => T;

/** A value computed from private rows, before noise. It cannot be printed, logged or serialised; only mechanisms reveal it. */
export class Exact<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
    Object.freeze(this);
  }

  static {
    reveal = (exact) => exact.#value;
  }

  /** The same secret after an exact computation; what it returns stays secret. */
  map<U>(compute: (value: T) => U): Exact<U> {
    return new Exact(compute(this.#value));
  }

  toString(): string {
    return "[exact]";
  }

  toJSON(): never {
    throw new PrivacyError("EXACT_VALUE_LEAK", {});
  }

  [Symbol.toPrimitive](): never {
    throw new PrivacyError("EXACT_VALUE_LEAK", {});
  }

  get [Symbol.toStringTag](): string {
    return "exact";
  }
}
