import type { Analysed } from "./analysis/analyse.ts";
import type { BindMessage } from "./decode.ts";
import { WireError } from "./sqlstate.ts";

/** A statement that PARSE named. */
export interface Prepared {
  /** Null: an empty text. */
  readonly statement: Analysed | null;
  readonly source: string;
  readonly types: readonly number[];
  /** How many values it takes. */
  readonly count: number;
  /** The process that knows it. */
  generation: number;
}

/** A statement with its values. */
export interface Portal {
  readonly prepared: Prepared;
  readonly bound: BindMessage;
  answers: readonly string[] | null;
  isAnswered: boolean;
  notices: readonly string[];
  /** The process that has it. */
  generation: number;
}

/** Statements and portals that one session may keep, and characters of their texts. */
const MAX_KEPT = 200;

const MAX_KEPT_CHARACTERS = 2_000_000;

const MAX_NAME = 200;

export function keep<T extends Prepared | Portal>(all: Map<string, T>, name: string, one: T): void {
  if (name.length > MAX_NAME)
    throw new WireError({ code: "54000" }, `a name has ${name.length} characters, must have at most ${MAX_NAME}`);
  all.set(name, one);
  const characters = [...all].reduce((sum, [called, each]) => sum + called.length + sizeOf(each), 0);
  if (all.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS) return;
  all.delete(name);
  throw new WireError(
    { code: "53400", hint: "Close those that are done, or DISCARD ALL." },
    `a session keeps at most ${MAX_KEPT} statements, of ${MAX_KEPT_CHARACTERS} characters with their values`,
  );
}

export function missing(code: string, kind: string, name: string): never {
  throw new WireError({ code }, `there is no ${kind} ${JSON.stringify(name.slice(0, 80))}`);
}

/** Characters of texts and values; a number of a list counts as one. */
const sizeOf = (one: Prepared | Portal): number =>
  "source" in one
    ? one.source.length + one.types.length
    : one.bound.values.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) + one.bound.formats.length;
