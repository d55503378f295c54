import { type EventAdjacency, invalid, PrivacyError } from "@dosimeter/core";
import { canonicalJson } from "@dosimeter/core/internal";
import type { Column, Declaration, Joinable } from "../declaration/declaration.ts";
import type { Join, JoinRequest, Taken } from "../declaration/join-type.ts";
import { entries, type Fields, own, record, text } from "../input/check.ts";
import { connectionOf, kindOf, type Source } from "../source/kinds.ts";
import { checkTaken, columnTaken } from "./taken.ts";

/** A declaration that may be joined, or only its words. */
type Joining = Pick<Declaration, "columns" | "privacyUnit"> &
  Partial<Pick<Declaration, "joinable" | "joined" | "adjacency" | "source" | "size" | "blocks">>;

export const MAX_JOINED = 100;
/** Characters of a join as JSON: it is read for every statistic that reads its columns. */
export const MAX_JOIN_TEXT = 20_000;
/** Each of these reads both tables twice. */
const MAX_PLACED = 8;
/** Columns of one row whose values enter one hash. */
export const MAX_HASHED = 3;

const isPlaced = ({ take }: Taken): boolean => take === "first" || take === "last";

/**
 * Adds the columns that a plan takes of another table of the same people [M195]. The tables that may be joined are in `joinable`:
 * the caller who put them there has checked the population and the rights. No data is read. Errors carry the path. [M313]
 */
export function withJoin<D extends Joining>(declaration: D, json: unknown, path = "join"): D {
  if (json === undefined) return declaration;
  const given = record(json, path);
  refuseLong(given, path);
  entries(given, path, ["dataset", "version", "on", "columns"]);
  const dataset = text(own(given, "dataset"), `${path}.dataset`, 200);
  const { privacyUnit } = declaration;
  if (privacyUnit === "row")
    return invalid(path, dataset, "absent: this table protects rows, and names no person to join by");
  const found = own(declaration.joinable ?? {}, dataset) as Joinable | undefined;
  if (found === undefined) return invalid(`${path}.dataset`, dataset, "another dataset about the same people");
  refuseUnlike(declaration, found.declaration, { dataset, path });
  const on = own(given, "on");
  if (on !== undefined && on !== privacyUnit.column)
    invalid(`${path}.on`, on, `${privacyUnit.column}: tables are joined by who is protected and by nothing else`);
  const version = own(given, "version");
  if (version !== undefined && version !== found.version) invalid(`${path}.version`, version, `${found.version}`);
  const columns = readColumns(given, declaration, found.declaration, path);
  // Filters written as text are longer as JSON.
  refuseLong({ dataset, version: found.version, columns }, path);
  const { size } = declaration;
  return {
    ...declaration,
    ...(size !== undefined && "public" in size ? { size: { assumed: size.public } } : {}),
    columns: joinedColumns(declaration.columns, columns, found.declaration),
    joined: { dataset, version: found.version, columns, declaration: found.declaration },
  };
}

function refuseLong(join: Fields, path: string): void {
  const { length } = canonicalJson(join);
  if (length > MAX_JOIN_TEXT)
    invalid(
      path,
      `${length} characters`,
      `at most ${MAX_JOIN_TEXT} characters as JSON: fewer columns or shorter filters`,
    );
}

interface Place {
  readonly dataset: string;
  readonly path: string;
}

/** Refuses a table whose people are named, counted or read in another way. */
function refuseUnlike(mine: Joining, theirs: Declaration, { dataset, path }: Place): void {
  const [unit, other] = [mine.privacyUnit, theirs.privacyUnit];
  if (unit === "row" || other === "row") {
    invalid(`${path}.dataset`, dataset, "a dataset that names people: this one protects rows");
  }
  if (mine.blocks !== undefined || theirs.blocks !== undefined)
    invalid(`${path}.dataset`, dataset, "absent: tables with blocks are not joined");
  refuseOtherNeighbours(mine.adjacency, theirs.adjacency, path);
  const { type, categories } = unitColumn(mine, unit.column);
  const { type: otherType, categories: otherCategories } = unitColumn(theirs, other.column);
  if (type !== otherType || categories !== otherCategories)
    invalid(
      `${path}.dataset`,
      dataset,
      `a dataset whose ${other.column} is declared like ${unit.column} here (${type}); it is ${otherType}${type === otherType ? " of other values" : ""}`,
    );
  if (mine.source !== undefined && !isReadTogether(mine.source, theirs.source))
    invalid(
      `${path}.dataset`,
      dataset,
      "a dataset in the same place: files join files, and tables those of their own connection",
    );
}

const unitColumn = ({ columns }: Pick<Declaration, "columns">, name: string) => ({
  type: columns[name]?.type,
  categories: JSON.stringify(columns[name]?.categories),
});

function refuseOtherNeighbours(mine: EventAdjacency | undefined, theirs: EventAdjacency, path: string): void {
  if (mine !== undefined && mine !== theirs)
    throw new PrivacyError("ADJACENCY_MISMATCH", { name: `${path}.dataset`, got: theirs, want: mine });
}

/** Whether one statement can read both. */
const isReadTogether = (mine: Source, theirs: Source): boolean =>
  kindOf(mine) === kindOf(theirs) && connectionOf(mine) === connectionOf(theirs);

function readColumns(given: Fields, mine: Joining, theirs: Declaration, path: string): Join["columns"] {
  const asked = record(own(given, "columns"), `${path}.columns`);
  const names = Object.keys(asked);
  if (names.length === 0 || names.length > MAX_JOINED)
    invalid(`${path}.columns`, names.length, `1 to ${MAX_JOINED} columns`);
  const taken = new Set(Object.keys(mine.columns).map((name) => name.toLowerCase()));
  const columns: Record<string, Taken> = Object.create(null);
  for (const name of names) {
    const at = `${path}.columns.${name}`;
    text(name, at, 200);
    if (taken.has(name.toLowerCase()))
      invalid(at, name, 'a name that no other column has, whatever the case: {"another name": …}');
    taken.add(name.toLowerCase());
    columns[name] = checkTaken(own(asked, name), theirs, at);
  }
  const placed = Object.values(columns).filter(isPlaced).length;
  if (placed > MAX_PLACED)
    invalid(`${path}.columns`, placed, `at most ${MAX_PLACED} columns that take the first or last value`);
  return columns;
}

/** A row may have no partner, so no column that is taken is `required`; its own ones stay so [M330]. */
function joinedColumns(
  mine: Readonly<Record<string, Column>>,
  taken: Join["columns"],
  theirs: Declaration,
): Readonly<Record<string, Column>> {
  const columns: Record<string, Column> = Object.create(null);
  for (const [name, column] of Object.entries(mine)) columns[name] = column;
  for (const [name, one] of Object.entries(taken)) columns[name] = { ...columnTaken(one, theirs), joined: theirs.name };
  return columns;
}

/** One object for all statistics that read the same columns, so that what is made of it is made once. */
const joinsRead = new WeakMap<NonNullable<Declaration["joined"]>, Map<string, Join>>();

/** The join as a statistic depends on it that reads these columns; null where it reads none of the other table's. */
export function joinRead({ joined }: Pick<Declaration, "joined">, used: ReadonlySet<string>): Join | null {
  if (joined === undefined) return null;
  const { dataset, version, columns } = joined;
  const names = Object.keys(columns).filter((name) => used.has(name));
  if (names.length === 0) return null;
  // The values of one row are chosen together: all of them, not only those that are read.
  const isOne = names.some((name) => columns[name]?.take === "one");
  const kept = Object.entries(columns).filter(([name, { take }]) => used.has(name) || (isOne && take === "one"));
  const key = JSON.stringify(kept.map(([name]) => name));
  const known = joinsRead.get(joined) ?? new Map<string, Join>();
  joinsRead.set(joined, known);
  const join = known.get(key) ?? { dataset, version, columns: Object.fromEntries(kept) };
  known.set(key, join);
  return join;
}

/**
 * How often a join goes through the rows of both tables: once for all that is gathered, twice for each first or last value, and for
 * one row once more than it has hashes.
 */
export function passesOf({ columns }: Join): number {
  const taken = Object.values(columns);
  const placed = taken.filter(isPlaced).length;
  const ones = taken.filter(({ take }) => take === "one").length;
  const gathered = taken.length - placed - ones;
  return Math.min(gathered, 1) + 2 * placed + (ones === 0 ? 0 : 1 + Math.ceil(ones / MAX_HASHED));
}

/** The join as a plan writes it. */
export const joinRequest = ({ dataset, version, columns }: Join): JoinRequest => ({ dataset, version, columns });
