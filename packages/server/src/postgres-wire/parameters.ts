import type { BindMessage } from "./decode.ts";
import { utf8Text } from "./decode.ts";
import { WireError } from "./sqlstate.ts";
import type { Statement } from "./statements.ts";

/** Types of parameters that are numbers and truth values; all others are texts, and those without a type whatever they look like. */
const INTEGERS: ReadonlyMap<number, number> = new Map([
  [21, 2],
  [23, 4],
  [20, 8],
]);
const FLOATS: ReadonlyMap<number, number> = new Map([
  [700, 4],
  [701, 8],
]);
const NUMERIC = 1700;
const BOOLEAN = 16;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const UNTYPED: ReadonlySet<number> = new Set([0, 705]);

/** Characters of a statement, before and after its values are in it: what the reader of SQL takes. */
const MAX_CHARACTERS = 100_000;
/** Places where values go, and the largest number of one. */
const MAX_PARAMETERS = 1000;

/** 54000 for a text that is too long to be read, before anything is done with it. */
export function checkLength(characters: number): void {
  if (characters > MAX_CHARACTERS)
    throw new WireError({ code: "54000" }, `a text has ${characters} characters, must have at most ${MAX_CHARACTERS}`);
}

/** 54000 for more places of values than are filled. */
export function checkParameters({ parameters }: Pick<Statement, "parameters">): void {
  const most = parameters.reduce((largest, { number }) => Math.max(largest, number), parameters.length);
  if (most > MAX_PARAMETERS)
    throw new WireError({ code: "54000" }, `a statement has ${most} parameters, must have at most ${MAX_PARAMETERS}`);
}

/** A text with its parameters written into it, and where its characters came from. */
export interface Written {
  readonly text: string;
  /** The place in the client's statement of a place in `text`. */
  readonly placeOf: (at: number) => number;
}

/** Writes every parameter as a literal: what a value holds can never be read as anything else. */
export function withValues(
  { text, parameters }: Pick<Statement, "text" | "parameters">,
  values: BindMessage["values"],
  types: readonly number[],
): Written {
  const literals = values.map((value, place) => literalOf(value, types[place] ?? 0, place + 1));
  checkLength(
    parameters.reduce((sum, { number, length }) => sum + (literals[number - 1]?.length ?? 0) + 2 - length, text.length),
  );
  let [written, from] = ["", 0];
  const pieces: { readonly to: number; readonly at: number; readonly isValue: boolean }[] = [];
  const add = (part: string, at: number, isValue: boolean): void => {
    pieces.push({ to: written.length, at, isValue });
    written += part;
  };
  for (const { number, at, length } of parameters) {
    const literal = literals[number - 1];
    if (literal === undefined) throw new WireError({ code: "08P01" }, `the parameter $${number} has no value`);
    add(text.slice(from, at), from, false);
    // Spaces, so that nothing next to it joins it: `-$1` of a negative number would begin a comment.
    add(` ${literal} `, at, true);
    from = at + length;
  }
  add(text.slice(from), from, false);
  return {
    text: written,
    placeOf(place) {
      const piece = pieces.findLast(({ to }) => to <= place);
      return piece === undefined ? place : piece.at + (piece.isValue ? 0 : place - piece.to);
    },
  };
}

function literalOf({ bytes, isBinary }: BindMessage["values"][number], type: number, number: number): string {
  if (bytes === null) return "NULL";
  const said = isBinary ? binaryText(bytes, type, number) : utf8Text(bytes);
  if (type === BOOLEAN) return /^(?:t|true|1|on|y|yes)$/i.test(said) ? "TRUE" : "FALSE";
  const isNumber = INTEGERS.has(type) || FLOATS.has(type) || type === NUMERIC;
  if (NUMBER.test(said) && (isNumber || UNTYPED.has(type))) return said;
  if (isNumber) throw new WireError({ code: "22P02" }, `the parameter $${number} is no number that can be read`);
  if (said.includes("\0")) throw new WireError({ code: "22021" }, `the parameter $${number} holds a zero byte`);
  return `'${said.replaceAll("'", "''")}'`;
}

function binaryText(bytes: Buffer, type: number, number: number): string {
  const size = INTEGERS.get(type) ?? FLOATS.get(type) ?? (type === BOOLEAN ? 1 : bytes.length);
  if (bytes.length !== size || type === NUMERIC)
    throw new WireError({ code: "0A000" }, `the parameter $${number} is in a binary form that is not read; send text`);
  if (INTEGERS.has(type)) return size === 8 ? String(bytes.readBigInt64BE()) : String(bytes.readIntBE(0, size));
  if (FLOATS.has(type)) return String(size === 8 ? bytes.readDoubleBE() : bytes.readFloatBE());
  return type === BOOLEAN ? String(bytes.readUInt8()) : utf8Text(bytes);
}
