import { invalid } from "@dosimeter/core";
import { isRecord, present } from "@dosimeter/core/internal";
import type { Declaration } from "../../declaration/declaration.ts";
import { factsOf, fewFacts } from "../../declaration/impossible.ts";
import type { Key } from "../../declaration/key.ts";
import { type Predicate, predicateColumns } from "../../declaration/predicate.ts";
import { readPredicate } from "../../declaration/predicate-text.ts";
import { list, own, text } from "../../input/check.ts";
import type { Bin, ImpossibleCells, TableColumn, TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import type { CheckedRow } from "../statistic.ts";
import { tableBins } from "../table/column-bins.ts";
import { cellsOfFacts } from "../table/impossible.ts";
import { isCountable, tableColumn } from "../table/table-task.ts";
import { weightsOf } from "../table/weights.ts";
import { rootOf, rootsOf } from "./levels.ts";
import { type ColumnSet, closureOf, columnsIn, finestOf, inOrder, largestOf, setOf, within } from "./sets.ts";
import { partsOf, type Weights } from "./strategy.ts";
import { mostWholeCells } from "./whole.ts";
import { isSmall } from "./zeros.ts";

const MAX_COLUMNS = 12;
/** Cells of all tables and of all that they add up to: of a million a server and its reader in one process took 2 GB. */
export const MAX_TABLE_CELLS = 500_000;
const MAX_TABLES = 1024;
const MAX_WEIGHT = 100;
const WANT = "tables such as region, region+sex, 2-way, or all";

/** Tables as people write them: `region, region+sex`. */
export const tablesText = (tables: readonly (string | readonly string[])[]): string =>
  tables.map((table) => (typeof table === "string" ? table : table.join("+"))).join(", ");

/** Columns, the tables of them that are asked for, and the integers that are released of these; `grid`: of the values that are added up in them. */
export function tablesTask(row: CheckedRow, grid: Pick<TablesTask, "ticks" | "range"> = {}): TablesTask {
  const { given, path, declaration, groupBy, family } = row;
  if (groupBy.length > 0)
    invalid(`${path}.groupBy`, groupBy, "absent: tables have their groups as columns; name these, or filter");
  const stated = own(given, "tables");
  const words = stated === undefined ? [] : wordsOf(stated, declaration, `${path}.tables`);
  const bins = tableBins(own(given, "bins"), declaration.columns, `${path}.bins`);
  const named = namesOf(
    row,
    words,
    (name) => name !== row.columnName && (isCountable(name, declaration) || bins.of.has(name)),
  );
  const names = family === "laplace" ? named : withLevels(named, row);
  const columns = nested(
    names.map((name, at) => {
      const place = `${path}.with[${named.indexOf(name)}]`;
      if (names.indexOf(name) !== at) invalid(place, name, "named once");
      return tableColumn(name, declaration, { bins, place, path });
    }),
    row,
  );
  for (const { name, cells } of columns)
    if (cells < 2)
      invalid(`${path}.with[${named.indexOf(name)}]`, name, "a column of at least two values: one divides nothing");
  for (const name of bins.of.keys())
    if (!names.includes(name)) invalid(`${path}.bins.${name}`, name, "a column of the tables");
  const asked = stated === undefined ? [1, 2].flatMap((ways) => (ways > names.length ? [] : [{ ways }])) : words;
  const sets = setsOf(asked, { names, columns, path: `${path}.tables` });
  // Asked ones first: what many are within takes time.
  const tables = sets.length > MAX_TABLES ? sets : closureOf(sets, columns);
  if (tables.length > MAX_TABLES)
    invalid(`${path}.tables`, tables.length, `at most ${MAX_TABLES} tables, sums included`);
  const answers = tables.reduce((sum, set) => sum + cellsIn(columns, columnsIn(set)), 0);
  if (answers > MAX_TABLE_CELLS)
    invalid(
      `${path}.tables`,
      answers,
      `at most ${MAX_TABLE_CELLS} cells, sums included: ask for fewer tables, or wider bins`,
    );
  const counted = countedOf(sets, columns);
  const counts = counted.reduce((sum, table) => sum + cellsIn(columns, table), 0);
  if (counts > MAX_TABLE_CELLS)
    invalid(
      `${path}.tables`,
      counts,
      `at most ${MAX_TABLE_CELLS} cells that are counted, those of finer columns included`,
    );
  const weights = weightsIn(own(given, "weights"), { sets, names, columns, path: `${path}.weights` });
  return {
    kind: "tables",
    ...{ columns, counted, answers, asked: sets.map(columnsIn) },
    cells: counts,
    ...partsOf(columns, sets, { weights, family, adjacency: declaration.adjacency, ...present({ ticks: grid.ticks }) }),
    ...grid,
    ...impossibleIn(row, columns),
    ...wholeIn(row, columns),
  };
}

/** Each column after those that it lies within, and next to them. */
function withLevels(names: readonly string[], { path, declaration: { columns } }: CheckedRow): readonly string[] {
  const chainOf = (name: string, root = name): readonly string[] => {
    const { within, joined } = columns[name] ?? {};
    if (within === undefined || joined !== undefined) return [name];
    // One state that every county lies in divides nothing.
    const isAll = columns[within.column]?.categories?.length === 1 && columns[root]?.required === true;
    return isAll && !names.includes(within.column) ? [name] : [...chainOf(within.column, root), name];
  };
  const chains = names.map((name) => chainOf(name));
  const levels = new Set(chains.flatMap((chain) => chain.slice(0, -1)));
  // One that another lies within comes with that one.
  const roots = chains.filter((chain) => !levels.has(chain.at(-1) ?? ""));
  const first = (chain: readonly string[]): number => names.findIndex((name) => chain.includes(name));
  const all = roots.toSorted((a, b) => first(a) - first(b)).flat();
  for (const [at, name] of all.entries())
    if (levels.has(name) && all.indexOf(name) !== at)
      invalid(`${path}.with`, names.join(", "), `one column within ${name} at a time`);
  if (all.length > MAX_COLUMNS)
    invalid(`${path}.with`, all.length, `1 to ${MAX_COLUMNS} columns, coarser ones included`);
  return all;
}

/** Columns with the values of coarser ones that theirs lie within; the cells of these follow from them. */
function nested(columns: readonly TableColumn[], { declaration, family }: CheckedRow): readonly TableColumn[] {
  if (family === "laplace") return columns;
  const nestings = columns.map(({ name }) => {
    const { within, joined } = declaration.columns[name] ?? {};
    const above = joined !== undefined ? -1 : columns.findIndex((column) => column.name === within?.column);
    return within === undefined || above < 0 ? null : { above, of: within.of };
  });
  const hasMissing = (at: number): boolean => {
    const finer = nestings.findIndex((each) => each?.above === at);
    return finer < 0 ? columns[at]?.hasMissing === true : hasMissing(finer);
  };
  return columns.map((column, at) => {
    const isMissing = hasMissing(at);
    const level = nestings.some((each) => each?.above === at) ? ({ isLevel: true } as const) : {};
    const own = { ...column, ...level, hasMissing: isMissing, cells: column.bins.length + (isMissing ? 1 : 0) };
    const nesting = nestings[at] ?? null;
    if (nesting === null) return own;
    const places = columns[nesting.above]?.bins.map(keyOf) ?? [];
    const placeOf = new Map(places.map((each, place) => [String(each), place]));
    const groupOf = new Map(
      Object.entries(nesting.of).flatMap(([group, parts]) =>
        parts.map((part) => [part, placeOf.get(group) ?? -1] as const),
      ),
    );
    const groups = column.bins.map((bin) => groupOf.get(keyOf(bin) ?? "") ?? 0);
    return { ...own, within: { column: nesting.above, groups: isMissing ? [...groups, places.length] : groups } };
  });
}

const keyOf = (bin: Bin): Key | undefined => ("value" in bin ? bin.value : undefined);

/** The tables that are counted: of a column that another one lies within, that other one. */
function countedOf(sets: readonly ColumnSet[], columns: readonly TableColumn[]): readonly (readonly number[])[] {
  const counted = sets.map((set) => setOf(columnsIn(set).map((at) => rootOf(columns, at))));
  return largestOf([...new Set(counted)].sort(inOrder)).map(columnsIn);
}

/** Cells that cannot be, by the owner's facts and by those of the plan. */
function impossibleIn(
  { given, declaration, path, family }: CheckedRow,
  columns: readonly TableColumn[],
): Pick<TablesTask, "impossible"> {
  const stated = own(given, "impossible");
  if (stated !== undefined && family === "laplace")
    invalid(`${path}.impossible`, stated, "absent where epsilon is the price: give rho, which also has less error");
  const isHere = (fact: Predicate): boolean =>
    predicateColumns(fact).every((name) => columns.some((column) => column.name === name));
  const declared = factsOf(declaration).filter(isHere);
  const isAny = ({ cells }: ImpossibleCells): boolean => cells.length > 0;
  const isUsed = (of: readonly [number, number]): boolean => isSmall(columns, [{ columns: of }]);
  const place = { declaration, areStored: true, isUsed } as const;
  const owners = cellsOfFacts(family === "laplace" ? [] : declared, columns, { ...place, path, isOwners: true });
  const facts =
    stated === undefined
      ? []
      : fewFacts(readPredicate(stated, declaration, `${path}.impossible`), `${path}.impossible`);
  const asked = cellsOfFacts(facts, columns, { ...place, path: `${path}.impossible` });
  const known = [...owners, ...asked].filter(isAny);
  // The owner's facts refuse no plan: of columns with too many values together they are not used.
  const all = isSmall(columns, known) ? known : asked.filter(isAny);
  if (!isSmall(columns, all))
    invalid(
      `${path}.impossible`,
      all.map(({ says }) => says).join(" or "),
      "about columns with fewer values together: give wider bins, or leave one of the columns out",
    );
  return all.length === 0 ? {} : { impossible: all };
}

function wholeIn({ given, path }: CheckedRow, columns: readonly TableColumn[]): Pick<TablesTask, "isWhole"> {
  const stated = own(given, "numbers");
  if (stated === undefined) return {};
  if (stated !== "whole")
    invalid(`${path}.numbers`, stated, "whole, for whole numbers from 0 up next to the answers; or absent");
  const cells = columns.reduce((product, column) => product * (column.isLevel === true ? 1 : column.cells), 1);
  if (cells > mostWholeCells)
    invalid(
      `${path}.numbers`,
      cells,
      `absent where all columns together have more than ${mostWholeCells} cells: name fewer columns`,
    );
  return { isWhole: true };
}

/** A table as it was asked for: its columns by name, all of a number of columns, or all. */
type Word = readonly string[] | { readonly ways: number } | "all";

function wordsOf(given: unknown, { columns }: Declaration, path: string): readonly Word[] {
  const parts = typeof given === "string" ? given.split(",").map((part) => part.trim()) : list(given, path);
  if (parts.length === 0) invalid(path, given, WANT);
  return parts.map((part, at) => {
    const place = `${path}[${at}]`;
    if (Array.isArray(part)) return part.map((name, column) => text(name, `${place}[${column}]`, 200));
    const word = text(part, place, 2400);
    // A column may be called so, or have a + in its name.
    if (Object.hasOwn(columns, word)) return [word];
    if (word === "all") return word;
    const ways = /^(\d{1,2})-way$/.exec(word)?.[1];
    return ways === undefined ? word.split("+").map((name) => name.trim()) : { ways: Number(ways) };
  });
}

/** The columns of `with`, or those that the tables name, or all that can be counted. */
function namesOf(
  { given, path, declaration }: CheckedRow,
  asked: readonly Word[],
  isPossible: (name: string) => boolean,
): readonly string[] {
  const stated = own(given, "with");
  const named = asked.flatMap((word) => (Array.isArray(word) ? (word as readonly string[]) : []));
  const names =
    stated !== undefined
      ? [stated].flat().map((name, at) => text(name, `${path}.with[${at}]`, 200))
      : named.length > 0
        ? [...new Set(named)]
        : Object.keys(declaration.columns).filter(isPossible);
  if (names.length === 0 || names.length > MAX_COLUMNS)
    invalid(`${path}.with`, names.length, `1 to ${MAX_COLUMNS} columns with declared categories or bounds`);
  return names;
}

interface Named {
  readonly names: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly path: string;
}

/** The asked tables, each once. */
function setsOf(asked: readonly Word[], { names, columns, path }: Named): readonly ColumnSet[] {
  const every = within(setOf(rootsOf(columns)), columns).slice(1);
  const named = new Set<ColumnSet>();
  const sets = asked.flatMap((word, at) => {
    const place = `${path}[${at}]`;
    if (word === "all") return every;
    if ("ways" in word) {
      const found = every.filter((set) => columnsIn(set).length === word.ways);
      return found.length > 0 ? found : invalid(place, `${word.ways}-way`, `1-way to ${names.length}-way`);
    }
    const set = finestOf(setNamed(word, names, place), columns);
    if (named.has(set)) invalid(place, word.join("+"), "a table that is not asked for twice");
    named.add(set);
    return [set];
  });
  return [...new Set(sets)].sort(inOrder);
}

function setNamed(table: readonly string[], names: readonly string[], place: string): ColumnSet {
  if (table.length === 0)
    return invalid(place, "empty", "at least one column: the number of all rows comes with any table");
  const columns = table.map((name) => {
    const at = names.indexOf(name);
    return at < 0 ? invalid(place, name, `a column of the tables (${names.join(", ")}), or ${WANT}`) : at;
  });
  if (new Set(columns).size !== columns.length) invalid(place, table.join("+"), "a table that names a column once");
  return setOf(columns);
}

/** How much each asked table matters: 1 where nothing is said. */
function weightsIn(
  given: unknown,
  { sets, names, columns, path }: Named & { readonly sets: readonly ColumnSet[] },
): Weights {
  if (given === "largest") return given;
  const weights = new Map(sets.map((set) => [set, 1]));
  if (given === undefined) return weights;
  if (typeof given !== "string" && !isRecord(given))
    invalid(path, given, "tables with their weights, such as region+sex = 3; or largest, for the least largest error");
  const said = new Set<ColumnSet>();
  for (const [name, weight] of weightsOf(given, path)) {
    const table = names.includes(name) ? [name] : name.split("+").map((part) => part.trim());
    const set = finestOf(setNamed(table, names, path), columns);
    if (!weights.has(set)) invalid(`${path}.${name}`, name, "a table that is asked for");
    if (said.has(set)) invalid(`${path}.${name}`, name, "named once");
    if (typeof weight !== "number" || !Number.isSafeInteger(weight) || weight < 1 || weight > MAX_WEIGHT)
      return invalid(
        `${path}.${name}`,
        weight,
        `a whole number from 1 to ${MAX_WEIGHT}: leave out a table that does not matter`,
      );
    said.add(set);
    weights.set(set, weight);
  }
  return weights;
}
