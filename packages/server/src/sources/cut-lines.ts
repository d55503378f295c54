import { PrivacyError } from "@dosimeter/core";

const [LF, CR] = [0x0a, 0x0d];
/** More below a table is no footnote. */
const MAX_HELD = 4_000_000;
/** Bytes, next to as many as were held, that come before lines are looked for again: a file in small parts takes no longer. */
const MIN_MORE = 65_536;

/** Lines that are no rows: above the header and below the table. */
export interface Cut {
  readonly skip?: number | undefined;
  readonly footer?: number | undefined;
}

/** The text without them, part by part. */
export function cutLines({ skip = 0, footer = 0 }: Cut): { take(part: Uint8Array): Uint8Array; end(): Uint8Array } {
  let left = skip;
  let afterReturn = false;
  let held: Buffer = Buffer.alloc(0);
  let [filled, looked] = [0, 0];

  function skipped(part: Uint8Array): Uint8Array {
    let at = 0;
    for (; at < part.length && (left > 0 || afterReturn); at += 1) {
      const byte = part[at];
      const isSecond = afterReturn && byte === LF;
      afterReturn = byte === CR;
      if (left === 0 && !isSecond) return part.subarray(at);
      if (!isSecond && (byte === LF || byte === CR)) left -= 1;
    }
    return part.subarray(at);
  }

  /** Where the last lines of what is held begin. */
  function lastLines(count: number): number {
    let at = filled;
    for (let lines = 0; lines < count && at > 0; lines += 1) {
      if (held[at - 1] === LF) at -= held[at - 2] === CR ? 2 : 1;
      else if (held[at - 1] === CR) at -= 1;
      while (at > 0 && held[at - 1] !== LF && held[at - 1] !== CR) at -= 1;
    }
    return at;
  }

  function hold(part: Uint8Array): void {
    if (filled + part.length > held.length) {
      const larger = Buffer.allocUnsafe(2 * (filled + part.length));
      held.copy(larger, 0, 0, filled);
      held = larger;
    }
    held.set(part, filled);
    filled += part.length;
  }

  function released(to: number): Uint8Array {
    const out = Buffer.from(held.subarray(0, to));
    held.copyWithin(0, to, filled);
    filled -= to;
    looked = filled;
    return out;
  }

  return {
    take(part) {
      const rest = left > 0 || afterReturn ? skipped(part) : part;
      if (footer === 0) return rest;
      hold(rest);
      if (filled < 2 * looked + MIN_MORE) return held.subarray(0, 0);
      const out = released(lastLines(footer + 2)); // one may be the rest of a line, one of a line end
      if (filled > MAX_HELD)
        throw new PrivacyError(
          "DATA_UNREADABLE",
          { name: "footer", got: footer, want: `lines of at most ${MAX_HELD} bytes in all` },
          "the lines below the table are too long",
        );
      return out;
    },
    end: () => released(footer === 0 ? 0 : lastLines(footer)),
  };
}
