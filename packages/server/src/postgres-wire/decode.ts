import { WireError } from "./sqlstate.ts";

/** The parts of one message, in order. Whatever a message claims, nothing after its end is read. */
export interface Parts {
  readonly int16: () => number;
  readonly int32: () => number;
  /** A text up to its zero byte. */
  readonly text: () => string;
  readonly letter: () => string;
  readonly bytes: (count: number) => Buffer;
  readonly isEnd: () => boolean;
  /** As many of these as a number of two bytes says. */
  readonly list: <T>(read: () => T) => readonly T[];
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function partsOf(body: Buffer): Parts {
  let at = 0;
  const bytes = (count: number): Buffer => {
    if (count < 0 || at + count > body.length) return malformed();
    at += count;
    return body.subarray(at - count, at);
  };
  const int16 = () => bytes(2).readInt16BE();
  return {
    bytes,
    int16,
    int32: () => bytes(4).readInt32BE(),
    letter: () => String.fromCharCode(bytes(1).readUInt8()),
    isEnd: () => at >= body.length,
    text() {
      const end = body.indexOf(0, at);
      if (end < 0) return malformed();
      const found = bytes(end - at);
      at += 1;
      return utf8Text(found);
    },
    list(read) {
      const count = int16();
      if (count < 0) return malformed();
      return Array.from({ length: count }, read);
    },
  };
}

export function utf8Text(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new WireError({ code: "22021" }, "a text is not UTF-8, the one encoding that is read here");
  }
}

export function malformed(): never {
  throw new WireError({ severity: "FATAL", code: "08P01" }, "a message does not have the parts that its kind has");
}

export interface Parsed {
  readonly name: string;
  readonly text: string;
  readonly types: readonly number[];
}

export function parseMessage(body: Buffer): Parsed {
  const { text, list, int32 } = partsOf(body);
  return { name: text(), text: text(), types: list(int32) };
}

export interface BindMessage {
  readonly portal: string;
  readonly statement: string;
  readonly values: readonly { readonly bytes: Buffer | null; readonly isBinary: boolean }[];
  readonly formats: readonly number[];
}

export function bindMessage(body: Buffer): BindMessage {
  const { text, list, int16, int32, bytes } = partsOf(body);
  const [portal, statement, given] = [text(), text(), list(int16)];
  const values = list(() => {
    const length = int32();
    return length === -1 ? null : bytes(length);
  });
  const formats = list(int16);
  return {
    portal,
    statement,
    formats,
    values: values.map((value, place) => ({
      bytes: value,
      isBinary: given[given.length === 1 ? 0 : place] === 1,
    })),
  };
}
