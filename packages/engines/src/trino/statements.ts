import { invalid } from "@dosimeter/core";
import type { Column, Declaration } from "@dosimeter/query/declaration";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { sql } from "kysely";
import { type PlanTables, scansOf, statementOf as statementOfScan } from "../sql/scans.ts";
import type { Table } from "../sql/sql.ts";
import { statementOf, trinoDialect } from "./dialect.ts";
import { refusal, tableSql } from "./table.ts";
import { STORAGES } from "./types.ts";

/** Letters of the longest statement that Trino reads unless it is set otherwise: `query.max-length`. */
const MAX_LETTERS = 1_000_000;
const SALT = "0".repeat(64);
/** Letters of the longest name of a catalogue, schema or table; the declaration names only some. */
const NAME = "n".repeat(200);

/**
 * Refuses a plan with a statement that Trino would not read, however the declared columns are stored: INVALID_PARAMETER with the path of
 * the row. Connects to nothing.
 */
export function checkSize(plan: BoundedPlan): void {
  const { declaration } = plan;
  const joined = declaration.joined?.declaration;
  const tables: PlanTables = {
    table: longestTable(declaration),
    salt: SALT,
    other: joined === undefined ? null : { table: longestTable(joined), salt: SALT },
    sampleKey: () => SALT,
  };
  for (const scan of scansOf(plan, tables)) {
    const { length } = statementOf(trinoDialect.compile(statementOfScan(trinoDialect, scan).statement));
    if (length > MAX_LETTERS)
      invalid(
        scan.members[0]?.statistic.path ?? "statistics",
        length,
        `at most ${MAX_LETTERS} letters of SQL, the most that Trino reads: fewer groups, bins or categories`,
      );
  }
}

/** The table of a declaration, every column stored as the type whose reading takes the most letters. */
function longestTable(declaration: Declaration): Table {
  const { columns, privacyUnit } = declaration;
  const types: Record<string, string> = Object.create(null);
  for (const [name, column] of Object.entries(columns))
    if (column.derived === undefined && column.joined === undefined)
      types[name] = longestStorage(column, privacyUnit !== "row" && privacyUnit.column === name);
  return { dialect: trinoDialect, from: tableSql([NAME, NAME, NAME], String(2n ** 63n - 1n)), types };
}

function longestStorage(column: Column, isUnit: boolean): string {
  const lettersAs = (storage: string): number =>
    statementOf(trinoDialect.compile(sql`${trinoDialect.typed(sql`x`, column, storage)}`)).length;
  const [longest = { storage: "varchar" }] = STORAGES.filter((storage) => refusal(column, storage, isUnit) === null)
    .map((storage) => ({ storage, letters: lettersAs(storage) }))
    .toSorted((a, b) => b.letters - a.letters);
  return longest.storage;
}
