import { type CalendarUnit, invalid, readPeriod } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { DatasetId, PopulationId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { blocksOfTerms, checkLedgerBlocks, type LedgerBlocks } from "../values/terms.ts";

interface DeclaredBlocks extends LedgerBlocks {
  readonly column: string;
  /** How the column is read: a row, or a person, must not move to another block because a date is read in another way. */
  readonly reading: string;
}

/** The blocks of a declaration; null without any. A timestamp has its zone already. */
function blocksIn(declaration: Json): DeclaredBlocks | null {
  if (!isRecord(declaration) || !isRecord(declaration.blocks)) return null;
  const { column, every, zone, protects } = declaration.blocks;
  const { columns } = declaration;
  const dated = isRecord(columns) && typeof column === "string" ? columns[column] : undefined;
  const clock = zone ?? (isRecord(dated) ? dated.zone : undefined) ?? "UTC";
  const checked = checkLedgerBlocks({
    ...{ every: every as CalendarUnit, zone: String(clock) },
    ...(protects === undefined ? {} : { protects: protects as "person" }),
  });
  const { type, pattern, pivot, granularity, zone: own } = isRecord(dated) ? dated : {};
  const reading = [type, pattern, pivot, granularity, own, ...(protects === undefined ? [] : leastDateIn(declaration))];
  return { column: String(column), reading: JSON.stringify(reading), ...checked };
}

/** Also decides which date of a person is the least: marks of missing dates, and who is the same person. [M170] */
function leastDateIn({ blocks, columns, privacyUnit, source }: { readonly [name: string]: Json }): readonly Json[] {
  const columnOf = (named: Json | undefined): Json | undefined =>
    isRecord(columns) && isRecord(named) ? columns[String(named.column)] : undefined;
  const marksOf = (of: Json | undefined): readonly string[] =>
    isRecord(of) && Array.isArray(of.missing) ? of.missing.map(String) : [];
  // A text without a digit is no date.
  const marks = [...marksOf(columnOf(blocks)), ...marksOf(source)].filter((mark) => /\d/.test(mark)).sort();
  const person = columnOf(privacyUnit);
  const { type = null, categories = [] } = isRecord(person) ? person : {};
  // Listed as numbers, 1 and 01 are one person; as texts they are two.
  return [marks, type, Array.isArray(categories) ? typeof categories[0] : null];
}

export const blocksText = ({ every, zone, protects }: LedgerBlocks): string =>
  `${protects === undefined ? `every ${every}` : `people by the ${every} of their least date`} by the clocks of ${zone}`;

export const isSameBlocks = (a: LedgerBlocks, b: LedgerBlocks): boolean =>
  a.every === b.every && a.zone === b.zone && a.protects === b.protects;

/** With least dates of its own, each dataset would put a person into a block of its own. [M170] */
const oneOnly = (): never =>
  invalid(
    "declaration.blocks.protects",
    "person",
    "absent where a population has several datasets: cohorts are read from one table",
  );

/**
 * The blocks of a population, from the declarations of all its datasets; null where the newest ones have none. Earlier versions can be
 * asked about too, so those with blocks must have the same ones, by the same column: a record would else lie in two blocks.
 * INVALID_PARAMETER. [M165]
 */
export async function blocksOfPopulation(
  { db }: Pick<Tx, "db">,
  population: PopulationId,
): Promise<LedgerBlocks | null> {
  const rows = await db
    .selectFrom("dataset_version")
    .innerJoin("dataset", "dataset.id", "dataset_version.dataset_id")
    .select(["dataset.id", "dataset.version as newest", "dataset_version.version", "dataset_version.declaration"])
    .where("dataset.population_id", "=", population)
    .execute();
  const all = rows.map(({ declaration, ...row }) => ({ ...row, blocks: blocksIn(JSON.parse(declaration) as Json) }));
  const newest = all.filter(({ version, newest }) => version === newest);
  const first = newest.find(({ blocks }) => blocks !== null)?.blocks ?? null;
  if (first === null) return null;
  if (newest.some(({ blocks }) => blocks === null))
    invalid("declaration.blocks", undefined, "given in every dataset of the population, or in none");
  if (first.protects !== undefined && newest.length > 1) oneOnly();
  const columns = new Map<DatasetId, DeclaredBlocks>();
  for (const { id, blocks } of all) {
    if (blocks === null) continue; // no charge can name this version: it would have no window
    if (!isSameBlocks(blocks, first))
      invalid(
        "declaration.blocks",
        blocksText(blocks),
        `${blocksText(first)}, as in every version of the population's datasets`,
      );
    const own = columns.get(id) ?? blocks;
    columns.set(id, own);
    refuseOtherColumn(blocks, own);
  }
  return checkLedgerBlocks(first);
}

/** A record would else lie in two blocks. */
function refuseOtherColumn({ column, reading, protects }: DeclaredBlocks, first: DeclaredBlocks): void {
  const [more, unit] =
    protects === undefined ? ["", "record"] : [", marks of missing dates, type of the person's column", "person"];
  if (column !== first.column)
    invalid("declaration.blocks.column", column, `${first.column}, as in every version of the dataset`);
  if (reading !== first.reading)
    invalid(
      `declaration.columns.${column}`,
      undefined,
      `read as in every version of the dataset (type, pattern, pivot, granularity, zone${more}): it says which block a ${unit} lies in`,
    );
}

/** A declaration that comes to a population, of a new dataset (null) or of a new version. */
interface Coming {
  readonly dataset: DatasetId | null;
  readonly declaration: Json;
}

/** INVALID_PARAMETER for a declaration with other blocks than the population's ledger, or by another column than before. [M165] */
export async function refuseOtherBlocks(
  { db }: Pick<Tx, "db">,
  population: PopulationId,
  { dataset, declaration }: Coming,
): Promise<void> {
  const ledger = await rowWith(db, "ledger", { population_id: population });
  if (ledger === undefined) return;
  const blocks = blocksOfTerms(ledger.terms);
  const given = blocksIn(declaration);
  if (blocks === null) {
    if (given !== null)
      invalid(
        "declaration.blocks",
        blocksText(given),
        "absent: the ledger of this population was opened without blocks",
      );
    return;
  }
  if (given === null || !isSameBlocks(given, blocks))
    return invalid(
      "declaration.blocks",
      given === null ? undefined : blocksText(given),
      `${blocksText(blocks)}, as in the ledger`,
    );
  if (dataset === null) {
    if (blocks.protects !== undefined) oneOnly();
    return;
  }
  const before = await db
    .selectFrom("dataset_version")
    .select("declaration")
    .where("dataset_id", "=", dataset)
    .execute();
  for (const row of before) {
    const earlier = blocksIn(JSON.parse(row.declaration) as Json);
    if (earlier !== null) refuseOtherColumn(given, earlier);
  }
}

/** The last block that a declaration closes by hand, null where it closes none yet; undefined where the calendar closes them. */
function closedIn(declaration: Json): string | null | undefined {
  if (!isRecord(declaration) || !isRecord(declaration.blocks) || declaration.blocks.closes === undefined)
    return undefined;
  return declaration.blocks.closed === undefined ? null : String(declaration.blocks.closed);
}

const periodOf = (block: string): number => readPeriod(block)?.period ?? Number.NEGATIVE_INFINITY;

/**
 * The block up to which a new version closes by hand what no earlier one had closed; null where it closes nothing. INVALID_PARAMETER for one
 * that would open blocks again, of two at once too. [M162]
 */
export async function newlyClosed(
  { db }: Pick<Tx, "db">,
  dataset: DatasetId,
  declaration: Json,
): Promise<string | null> {
  const closed = closedIn(declaration);
  if (closed === undefined) return null;
  const rows = await db.selectFrom("dataset_version").select("declaration").where("dataset_id", "=", dataset).execute();
  const before = rows
    .map((row) => closedIn(JSON.parse(row.declaration) as Json) ?? null)
    .reduce((last, each) => (each !== null && (last === null || periodOf(each) > periodOf(last)) ? each : last), null);
  if (before === null || closed === before) return closed === before ? null : closed;
  if (closed === null || periodOf(closed) < periodOf(before))
    return invalid(
      "declaration.blocks.closed",
      closed ?? undefined,
      `${before} or later: what was closed stays closed`,
    );
  return closed;
}
