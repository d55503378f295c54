import { PrivacyError } from "@dosimeter/core";
import { readSql } from "@dosimeter/sql-text";
import type { Aggregated } from "./analysis/aggregated.ts";
import type { Target } from "./analysis/target.ts";
import type { Catalogue } from "./catalogue.ts";
import type { BindMessage } from "./decode.ts";
import { withValues } from "./parameters.ts";
import type { Answers, Cell, Queries, Query } from "./queries.ts";
import { quotedName, quotedText } from "./sql-words.ts";
import { type Placed, WireError } from "./sqlstate.ts";
import { statementsIn } from "./statements.ts";
import { type Piece, textOf } from "./tokens.ts";

/** Values of a statement's parameters; null where only its columns are asked for. */
export interface Given {
  readonly values: BindMessage["values"] | null;
  readonly types: readonly number[];
}

/** A SELECT that a plan answers, as the query that asks and the SQL that shows its answers. */
export interface Shown {
  /** Null: its rows are declared. */
  readonly query: Query | null;
  readonly rows: readonly (readonly Cell[])[];
  readonly types: readonly string[];
  /** The SELECT over the table of answers, which `source` gives. */
  readonly over: (source: string) => string;
}

interface Chosen {
  readonly pieces: readonly Piece[];
  readonly targets: readonly Target[];
  readonly where: Aggregated["where"];
}

/** What stands for a parameter where its value is not known: values do not change which columns there are. */
const STAND_IN = { bytes: Buffer.from("1"), isBinary: false };

/** Reads a SELECT as a plan, as it stands or else as its aggregates alone. Costs nothing. */
export async function shownOf(
  asked: Aggregated,
  source: string,
  given: Given,
  context: {
    readonly queries: Queries;
    readonly catalogue: Catalogue;
    readonly mentions: readonly string[];
    readonly all: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Shown> {
  const { queries, catalogue } = context;
  if (asked.categories !== null) return declaredValues(asked, asked.categories, catalogue);
  const direct = { pieces: withIntervals(asked, context), targets: asked.targets, where: asked.where };
  try {
    return await read(direct, (from) => `SELECT * FROM ${from}`);
  } catch (error) {
    const { split } = asked;
    if (split === null || !isUnread(error)) throw error;
    const around = (from: string) => `${textOf(split.before)}${from} AS answers${textOf(split.after)}`;
    try {
      return await read({ ...split, pieces: split.plan }, around);
    } catch (second) {
      // Of two readings that fail, the one that knows a column is wrong says more; places are exact in the first.
      throw isUnread(second) && (isOfColumn(error) || !isOfColumn(second)) ? error : second;
    }
  }

  async function read({ pieces, targets, where }: Chosen, over: Shown["over"]): Promise<Shown> {
    const query = queryOf(pieces, source, given);
    const [columns = []] = await queries.describe(
      given.values === null ? withoutWhere(query, pieces, where, source) : query,
      context.signal,
    );
    const isAlike = targets.length <= columns.length;
    const types = columns.map(({ type }, place) =>
      typeOf(type, isAlike ? targets[place] : undefined, asked, catalogue),
    );
    const names = columns.map(({ name }, place) => (isAlike ? (targets[place]?.name ?? name) : name));
    return { query, rows: [], types, over: (from) => over(tableOf(from, names, types)) };
  }
}

/** Answers of a plan as a table: names may be alike, so each has another one inside. */
const tableOf = (source: string, names: readonly string[], types: readonly string[]): string =>
  `(SELECT ${names.map((name, place) => `c${place} AS ${quotedName(name)}`).join(", ")} FROM jsonb_to_recordset(${source}) AS r(${types
    .map((type, place) => `c${place} ${type}`)
    .join(", ")}))`;

const isUnread = (error: unknown): boolean =>
  error instanceof WireError
    ? ["0A000", "42601", "42703", "22023"].includes(error.facts.code) && error.facts.position !== undefined
    : error instanceof PrivacyError;

const isOfColumn = (error: unknown): boolean => error instanceof WireError && error.facts.code === "42703";

function typeOf(type: string, target: Target | undefined, { dataset }: Aggregated, catalogue: Catalogue): string {
  if (type === "list") return "json";
  if (type !== "number") return type;
  if (target?.asks === "count") return "bigint";
  if (target?.asks === "mean") return "numeric";
  const declared = target?.asks === "column" ? catalogue.column(dataset, target.name)?.type : undefined;
  return declared === "bigint" || declared === "numeric" ? declared : "double precision";
}

/** The ends of intervals that the statement names, `people_low`, or of all answers that have a name. */
function withIntervals(
  asked: Aggregated,
  { mentions, all }: { readonly mentions: readonly string[]; readonly all: boolean },
): readonly Piece[] {
  const { plan, targets, listEnd, isOrdered } = asked;
  const ends = targets.flatMap(({ name, isNamed, asks }) =>
    !isNamed || asks === "column" || /^dp_interval_/.test(name)
      ? []
      : (["low", "high"] as const).flatMap((end) =>
          (all || mentions.includes(`${name}_${end}`)) && !targets.some((other) => other.name === `${name}_${end}`)
            ? [`, DP_INTERVAL_${end.toUpperCase()}(${quotedName(name)}) AS ${quotedName(`${name}_${end}`)}`]
            : [],
        ),
  );
  if (ends.length === 0) return plan;
  const first = targets.find(({ isNamed, asks }) => isNamed && asks !== "column");
  // What stands around may choose among the answers: then their intervals hold for all at once [M191].
  const order = isOrdered || first === undefined ? "" : ` ORDER BY ${quotedName(first.name)}`;
  return [...insert(plan, listEnd, ends.join("")), { text: order, at: plan.at(-1)?.at ?? 0, isSource: false }];
}

/** Values that are not known yet stand in WHERE, on which no column depends. */
function withoutWhere(query: Query, pieces: readonly Piece[], where: Aggregated["where"], source: string): Query {
  const text = textOf(pieces);
  if (where === null || !text.slice(where.from, where.to).includes("$")) return query;
  const left = `${text.slice(0, where.from)}${" ".repeat(where.to - where.from)}${text.slice(where.to)}`;
  return queryOf([{ text: left, at: pieces[0]?.at ?? 0, isSource: false }], source, NO_VALUES);
}
const NO_VALUES: Given = { values: null, types: [] };

/** Numbers of the types that a parameter has as a column is compared with it. */
const OIDS: Readonly<Record<string, number>> = { bigint: 20, "double precision": 701, numeric: 701, boolean: 16 };
const TEXT_OID = 25;
export function typesOf(asked: readonly Aggregated[], catalogue: Catalogue): ReadonlyMap<number, number> {
  const compared = asked.flatMap(({ compared, dataset }) => compared.map((each) => ({ ...each, dataset })));
  return new Map(
    compared.map(({ number, column, dataset }) => [
      number,
      OIDS[catalogue.column(dataset, column)?.type ?? ""] ?? TEXT_OID,
    ]),
  );
}

function insert(pieces: readonly Piece[], place: number, text: string): readonly Piece[] {
  let at = 0;
  return pieces.flatMap((piece): readonly Piece[] => {
    const inside = place - at;
    at += piece.text.length;
    if (inside <= 0 || inside > piece.text.length) return [piece];
    const rest = { ...piece, text: piece.text.slice(inside), at: piece.at + (piece.isSource ? inside : 0) };
    return [{ ...piece, text: piece.text.slice(0, inside) }, { text, at: piece.at, isSource: false }, rest];
  });
}

function queryOf(pieces: readonly Piece[], source: string, { values, types }: Given): Query {
  const text = textOf(pieces);
  const parameters = statementsIn(text).flatMap((one) =>
    one.parameters.map((each) => ({ ...each, at: each.at + one.at })),
  );
  const most = Math.max(0, ...parameters.map(({ number }) => number));
  const known = values ?? Array.from({ length: most }, () => STAND_IN);
  const written =
    parameters.length === 0 ? { text, placeOf: (at: number) => at } : withValues({ text, parameters }, known, types);
  return { text: written.text, placed: placedBy(written.text, (at) => placeIn(pieces, source, written.placeOf(at))) };
}

/** The place in the source of a place in a made text, as PostgreSQL counts it. */
function placeIn(pieces: readonly Piece[], source: string, place: number): number {
  let at = 0;
  for (const piece of pieces) {
    if (place < at + piece.text.length)
      return charactersIn(source.slice(0, piece.at + (piece.isSource ? place - at : 0))) + 1;
    at += piece.text.length;
  }
  return charactersIn(source) + 1;
}

/** Characters as PostgreSQL counts them. */
export const charactersIn = (text: string): number => [...text].length;

function placedBy(text: string, positionOf: (at: number) => number): Placed {
  return {
    positionOf(line, column) {
      const lines = text.split("\n");
      const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
      return positionOf(start + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length);
    },
  };
}

function declaredValues(asked: Aggregated, column: string, catalogue: Catalogue): Shown {
  const found = catalogue.column(asked.dataset, column);
  if (found?.categories == null)
    throw new WireError(
      { code: "42501", hint: "SELECT COUNT(*) … GROUP BY finds its values, for a price." },
      `the values of ${JSON.stringify(column)} are not declared, so they are private`,
    );
  const name = asked.targets[0]?.name ?? column;
  const { type, categories } = found;
  return {
    query: null,
    rows: categories.map((value) => [value]),
    types: [type],
    over: (from) => `SELECT * FROM ${tableOf(from, [name], [type])}`,
  };
}

/** Rows as the text of a JSON array, which jsonb_to_recordset reads. A count of pooled answers may lie between two numbers. */
export const jsonOf = ({ types }: Pick<Shown, "types">, rows: Answers["rows"]): string =>
  JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        row.map((cell, place) => [
          `c${place}`,
          typeof cell === "number" && types[place] === "bigint"
            ? Math.round(cell)
            : typeof cell === "string"
              ? cell.replaceAll("\0", "\uFFFD")
              : cell,
        ]),
      ),
    ),
  );

/** A SELECT that PostgreSQL cannot read and our reader can, as it stands. */
export function ownDialect(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): Aggregated | null {
  try {
    const { dataset } = readSql(text.slice(from, to));
    return {
      ...{
        from,
        to,
        plan: [{ text: text.slice(from, to), at: from, isSource: true }],
        targets: [],
        listEnd: 0,
        where: null,
        compared: [],
      },
      ...{ isOrdered: true, split: null, categories: null, dataset: dataset.name },
    };
  } catch {
    return null;
  }
}

export const literalOf = (json: string): string => `${quotedText(json)}::jsonb`;
