import type { Extent, SqlToken } from "../tokens.ts";

export interface Reading {
  readonly bytes: Buffer;
  readonly tokens: readonly SqlToken[];
  readonly names: ReadonlySet<string>;
  readonly extent: Extent;
  readonly charOf: (byte: number) => number;
}

export interface Refused {
  readonly at: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export type Refuse = (at: number, code: string, message: string, hint?: string) => void;

/** Characters of a text by its bytes. */
export function placesOf(bytes: Buffer, source: string): (byte: number) => number {
  if (bytes.length === source.length) return (byte) => byte;
  return (byte) => bytes.toString("utf8", 0, byte).length;
}
