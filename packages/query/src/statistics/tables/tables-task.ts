import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type { Declaration } from "../../declaration/declaration.ts";
import { list, own, text } from "../../input/check.ts";
import type { TablesTask } from "../../plan/task.ts";
import { cellsIn } from "../../plan/task-kinds.ts";
import type { CheckedRow } from "../statistic.ts";
import { tableBins } from "../table/column-bins.ts";
import { isCountable, tableColumn } from "../table/table-task.ts";
import { weightsOf } from "../table/weights.ts";
import { type ColumnSet, closureOf, columnsIn, inOrder, largestOf, setOf } from "./sets.ts";
import { partsOf, type Weights } from "./strategy.ts";

const MAX_COLUMNS = 12;
/** Cells of all tables and of all that they add up to: as many as one plan may release. */
const MAX_CELLS = 200_000;
const MAX_TABLES = 1024;
const MAX_WEIGHT = 100;
const WANT = "tables such as region, region+sex, 2-way, or all";

/** Tables as people write them: `region, region+sex`. */
export const tablesText = (tables: readonly (string | readonly string[])[]): string =>
  tables.map((table) => (typeof table === "string" ? table : table.join("+"))).join(", ");

/** Columns, the tables of them that are asked for, and the integers that are released of these. */
export function tablesTask(row: CheckedRow): TablesTask {
  const { given, path, declaration, groupBy, family } = row;
  if (groupBy.length > 0)
    invalid(`${path}.groupBy`, groupBy, "absent: tables have their groups as columns; name these, or filter");
  const stated = own(given, "tables");
  const words = stated === undefined ? [] : wordsOf(stated, declaration, `${path}.tables`);
  const bins = tableBins(own(given, "bins"), declaration.columns, `${path}.bins`);
  const names = namesOf(row, words, (name) => isCountable(name, declaration) || bins.of.has(name));
  const columns = names.map((name, at) => {
    const place = `${path}.with[${at}]`;
    if (names.indexOf(name) !== at) invalid(place, name, "named once");
    const column = tableColumn(name, declaration, { bins, place, path });
    if (column.cells < 2) invalid(place, name, "a column of at least two values: one value divides nothing");
    return column;
  });
  for (const name of bins.of.keys())
    if (!names.includes(name)) invalid(`${path}.bins.${name}`, name, "a column of the tables");
  const asked = stated === undefined ? [1, 2].flatMap((ways) => (ways > names.length ? [] : [{ ways }])) : words;
  const sets = setsOf(asked, names, `${path}.tables`);
  const tables = closureOf(sets);
  if (tables.length > MAX_TABLES)
    invalid(`${path}.tables`, tables.length, `at most ${MAX_TABLES} tables, sums included`);
  const answers = tables.reduce((sum, set) => sum + cellsIn(columns, columnsIn(set)), 0);
  if (answers > MAX_CELLS)
    invalid(
      `${path}.tables`,
      answers,
      `at most ${MAX_CELLS} cells, sums included: ask for fewer tables, or wider bins`,
    );
  const counted = largestOf(sets).map(columnsIn);
  const weights = weightsIn(own(given, "weights"), { sets, names, path: `${path}.weights` });
  return {
    kind: "tables",
    ...{ columns, counted, answers, asked: sets.map(columnsIn) },
    cells: counted.reduce((sum, table) => sum + cellsIn(columns, table), 0),
    ...partsOf(columns, sets, { weights, family, adjacency: declaration.adjacency }),
  };
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

/** The asked tables, each once. */
function setsOf(asked: readonly Word[], names: readonly string[], path: string): readonly ColumnSet[] {
  const every = Array.from({ length: (1 << names.length) - 1 }, (_, at) => at + 1);
  const named = new Set<ColumnSet>();
  const sets = asked.flatMap((word, at) => {
    const place = `${path}[${at}]`;
    if (word === "all") return every;
    if ("ways" in word) {
      const found = every.filter((set) => columnsIn(set).length === word.ways);
      return found.length > 0 ? found : invalid(place, `${word.ways}-way`, `1-way to ${names.length}-way`);
    }
    const set = setNamed(word, names, place);
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
  {
    sets,
    names,
    path,
  }: { readonly sets: readonly ColumnSet[]; readonly names: readonly string[]; readonly path: string },
): Weights {
  if (given === "largest") return given;
  const weights = new Map(sets.map((set) => [set, 1]));
  if (given === undefined) return weights;
  if (typeof given !== "string" && !isRecord(given))
    invalid(path, given, "tables with their weights, such as region+sex = 3; or largest, for the least largest error");
  const said = new Set<ColumnSet>();
  for (const [name, weight] of weightsOf(given, path)) {
    const set = names.includes(name)
      ? setOf([names.indexOf(name)])
      : setNamed(
          name.split("+").map((part) => part.trim()),
          names,
          path,
        );
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
