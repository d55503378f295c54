import type { Column, Declaration } from "../declaration/declaration.ts";
import { mostRowsOf } from "../declaration/most.ts";
import type { Predicate } from "../declaration/predicate.ts";
import { columnsRead, weightOf } from "../expression/derive.ts";
import { passesOf } from "../join/join.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import { binsOf, leavesOf } from "../plan/task.ts";
import { connectionOf } from "../source/kinds.ts";
import { foundBytesOf, foundCellsOf, sumsOf, workOf } from "./limits.ts";

/** What takes time when a release is measured; each part has a coefficient, the nanoseconds of one. Those of rows are per row. */
export type Part =
  /** Once each. */
  | "release"
  | "statistic"
  /** Integers drawn, leaves that a choice goes through, intervals searched for. */
  | "cell"
  | "leaf"
  | "search"
  /** A row that is scanned; in a text, each of its columns. The same when a table is read in full first. */
  | "row"
  | "text"
  | "opening"
  | "opened"
  | "openedText"
  /** A column that is read, by what it holds, and where that is written as text. */
  | Kind
  | `${Kind}Text`
  /** Planning what reads times, or tells what clocks show, once for each column. */
  | "times"
  | "zones"
  /** An operation of a formula or filter, one category, one bin, a row that goes to its leaf, one sum. */
  | "step"
  | "category"
  | "bin"
  | "ranked"
  | "aggregate"
  /** Bounding rows of a person, rows or groups of one in several groups, and of each value that is found. */
  | "person"
  | "windows"
  | "found"
  | "foundValue"
  | "foundCell"
  /** A row of either table, each time that a join goes through them. */
  | "joined"
  /** A table that a connection reads. */
  | "remote"
  | "remoteRow";

/** `zoned`: a column that is derived where times are read, by the clocks of a zone. */
type Kind = "value" | "decimal" | "date" | "time" | "zoned";

export type Coefficients = Readonly<Record<Part, number>>;

/** What is known of a release next to its plan: of each statistic whose groups are found, how many were published, and whether its table is read for the first time. */
export interface CostFacts {
  readonly published?: readonly (number | undefined)[];
  readonly isFirst?: boolean;
  /** The most rows of a file whose people are bounded at once: of more they are read in several passes. */
  readonly mostHeld?: number;
}

/**
 * How many there are of each part, by the plan and the most rows and values that its declaration admits: the same whatever the rows are. All
 * values that may be found count as if they were [M210]. [M360]
 */
export function partsOf(
  plan: BoundedPlan,
  { published = [], isFirst = false, mostHeld = Number.POSITIVE_INFINITY }: CostFacts = {},
): Map<Part, number> {
  const parts = new Map<Part, number>([["release", 1]]);
  const add: Add = (part, count) => void parts.set(part, (parts.get(part) ?? 0) + count);
  const { declaration, statistics } = plan;
  const tables = declaration.joined === undefined ? [declaration] : [declaration, declaration.joined.declaration];
  if (isFirst) {
    add("opening", 1);
    for (const table of tables) addScan(add, table, ["opened", "openedText"]);
  }
  const { parts: passes } = heldOf(plan, mostHeld);
  for (const [index, statistic] of statistics.entries()) {
    const { keys, groups } = statistic;
    const { cells, leaves, searches } = workOf(statistic, keys === undefined ? groups.length : (published[index] ?? 0));
    add("cell", cells);
    add("leaf", leaves);
    add("search", searches);
    addRows(add, statistic, declaration, { tables, parts: passes });
  }
  return parts;
}

/** What the parts take, in milliseconds. */
export const costOf = (parts: ReadonlyMap<Part, number>, coefficients: Partial<Coefficients>): number =>
  [...parts].reduce((sum, [part, count]) => sum + count * (coefficients[part] ?? 0), 0) / 1e6;

type Add = (part: Part, count: number) => void;

function addRows(
  add: Add,
  statistic: BoundedStatistic,
  declaration: Declaration,
  { tables, parts }: { readonly tables: readonly Declaration[]; readonly parts: number },
): void {
  const { keys, join, where, task } = statistic;
  const rows = mostRowsOf(declaration);
  const all = tables.reduce((sum, table) => sum + mostRowsOf(table), 0);
  const passes = join === undefined ? 0 : passesOf(join);
  const cells = foundCellsOf(statistic, rows);
  if (connectionOf(declaration.source) !== null) {
    add("remote", 1);
    add("remoteRow", rows + 2 * passes * all + (keys === undefined ? 0 : 4 * rows + 24 * keys.most + 16 * cells));
    return;
  }
  const each: Add = (part, count) => add(part, parts * count);
  each("joined", passes * grown(all));
  if (keys !== undefined) {
    add("found", grown(rows));
    add("foundValue", keys.most);
    add("foundCell", cells);
  }
  add("statistic", 1);
  for (const table of tables) {
    addScan(each, table, ["row", "text"], Math.max(1, passes));
    // A statement lists the values of every required column, whatever it reads.
    const required = Object.values(table.columns).filter((column) => column.required === true && isStored(column));
    each("category", LISTED * required.reduce((sum, { categories = [] }) => sum + categories.length, 0));
  }
  addColumns(each, statistic, declaration);
  each("step", rows * stepsOf(where));
  add("bin", rows * binsOf({ task }).length);
  add("aggregate", rows * sumsOf(statistic));
  if (leavesOf({ task }) !== undefined) add("ranked", rows);
  if (statistic.sampling !== undefined) add("windows", grown(rows));
  if (declaration.privacyUnit !== "row" && keys === undefined) add(boundingOf(statistic), grown(rows));
}

/**
 * In how many parts the people of a file are bounded one after another, and how many rows are held at once. What the values that a plan may
 * find take is next to the engine, as the states of the people are: it leaves room for fewer rows. [M210]
 */
export function heldOf(plan: BoundedPlan, mostHeld: number): { readonly parts: number; readonly rows: number } {
  const { declaration } = plan;
  if (declaration.privacyUnit === "row") return { parts: 1, rows: 0 };
  const rows = mostRowsOf(declaration);
  const parts = Math.ceil(rows / Math.max(mostHeld / 6, mostHeld - foundBytesOf(plan) / STATE_BYTES)) || 1;
  return { parts, rows: rows / parts };
}

/** Less than a row that is held takes there: see memory.ts of the server. */
const STATE_BYTES = 180;

/** Tables of hashes that the caches of a processor no longer hold take longer for each row. */
const grown = (rows: number): number => rows * (1 + Math.max(0, Math.log2(rows / 2 ** 17)) / 4);

const isText = ({ source }: Declaration): boolean => "csv" in source;
const isStored = ({ derived, joined }: Column): boolean => derived === undefined && joined === undefined;

function addScan(add: Add, table: Declaration, [native, text]: readonly [Part, Part], passes = 1): void {
  const stored = Object.values(table.columns).filter(isStored).length;
  if (isText(table)) add(text, passes * mostRowsOf(table) * stored);
  else add(native, passes * mostRowsOf(table) * (native === "opened" ? stored : 1));
}

/** Rows that are compared with a category in the time in which a statement lists it. */
const LISTED = 2 ** 13;

function addColumns(add: Add, statistic: BoundedStatistic, declaration: Declaration): void {
  const { columns, blocks } = declaration;
  const rows = mostRowsOf(declaration);
  const names = columnsRead(statistic, declaration);
  const read = [...names, ...(blocks === undefined ? [] : [blocks.column])].flatMap((name) => columns[name] ?? []);
  const of = (kind: Kind): Part => (isText(declaration) ? `${kind}Text` : kind);
  const hasTimes = read.some(({ zone }) => zone !== undefined);
  for (const column of read) {
    const { derived, categories = [] } = column;
    add("category", (rows + LISTED) * categories.length);
    if (isStored(column)) add(of(kindOf(column)), rows);
    if (column.zone !== undefined) add("times", 1);
    if (derived !== undefined) add("step", rows * weightOf(derived.code));
  }
  const zones = hasTimes
    ? read.filter(({ derived }) => derived !== undefined).length + (blocks === undefined ? 0 : 1)
    : 0;
  add("zones", zones);
  add(of("zoned"), rows * zones);
}

const kindOf = ({ type, zone, scale }: Column): Kind =>
  zone !== undefined ? "time" : type === "date" ? "date" : scale !== undefined ? "decimal" : "value";

function stepsOf(where: Predicate | null): number {
  if (where === null) return 0;
  if ("values" in where) return where.values.length;
  if (!("of" in where)) return 1;
  return [where.of].flat().reduce((sum, part) => sum + stepsOf(part), 0);
}

function boundingOf(statistic: BoundedStatistic): Part {
  const { contribution, task } = statistic;
  const { groups, rowsPerGroup } = contribution.bound;
  const isRanked =
    groups !== null || rowsPerGroup !== null || ["values", "totals", "cuts", "table", "tables"].includes(task.kind);
  return isRanked ? "windows" : "person";
}
