import { type BindMessage, utf8Text } from "./decode.ts";
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

/** Characters of a text, and places of parameters in one statement, numbers of parameters too. */
const MAX_CHARACTERS = 100_000;
const MAX_PARAMETERS = 1000;

/** Refuses a text that is too long before anything looks at its characters. */
export function refuseLong(text: string): void {
  if (text.length > MAX_CHARACTERS) tooMuch(`a text has ${text.length} characters`, MAX_CHARACTERS);
}

/** How many values a statement takes: as many as its highest number says, or as types came. */
export function parametersOf(statement: Pick<Statement, "parameters"> | null, types: readonly number[]): number {
  const places = statement?.parameters ?? [];
  if (places.length > MAX_PARAMETERS) tooMuch(`a statement has ${places.length} places of parameters`, MAX_PARAMETERS);
  let count = types.length;
  for (const { number } of places) if (number > count) count = number;
  if (count > MAX_PARAMETERS) tooMuch(`a statement has parameters up to $${count}`, MAX_PARAMETERS);
  return count;
}

function tooMuch(got: string, most: number): never {
  throw new WireError({ code: "54000" }, `${got}, must have at most ${most}`);
}

/** A text with its parameters written into it, and where its characters came from. */
export interface Written {
  readonly text: string;
  /** The place in the client's statement of a place in `text`. */
  readonly placeOf: (at: number) => number;
}

/** Writes every parameter as a literal: what a value holds can never be read as anything else. A text that would be too long is not built. */
export function withValues(
  { text, parameters }: Pick<Statement, "text" | "parameters">,
  values: BindMessage["values"],
  types: readonly number[],
): Written {
  const literals = new Map<number, string>();
  let total = text.length;
  for (const { number, length } of parameters) {
    const value = values[number - 1];
    if (value === undefined) throw new WireError({ code: "08P01" }, `the parameter $${number} has no value`);
    // Spaces, so that nothing next to it joins it: `-$1` of a negative number would begin a comment.
    const literal = literals.get(number) ?? ` ${literalOf(value, types[number - 1] ?? 0, number)} `;
    literals.set(number, literal);
    total += literal.length - length;
  }
  if (total > MAX_CHARACTERS) tooMuch(`a text has ${total} characters with its values`, MAX_CHARACTERS);
  let [written, from] = ["", 0];
  const pieces: { readonly to: number; readonly at: number; readonly isValue: boolean }[] = [];
  const add = (part: string, at: number, isValue: boolean): void => {
    pieces.push({ to: written.length, at, isValue });
    written += part;
  };
  for (const { number, at, length } of parameters) {
    add(text.slice(from, at), from, false);
    add(literals.get(number) ?? "", at, true);
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
  if (isNumber) throw new WireError({ code: "22P02" }, `the parameter $${number} cannot be read as a number`);
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
