import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client, Release } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { present, typedNumber } from "@dosimeter/core/internal";
import { checkDeclaration } from "@dosimeter/query/declaration";
import {
  askRows,
  estimate as estimateTable,
  MAX_SYNTHETIC_ROWS,
  type ReleasedTable,
  releasedBins,
  releasesNamed,
  type SyntheticRequest,
  syntheticCsv,
  syntheticParquet,
  tableErrors,
  withColumnBins,
} from "@dosimeter/query/statistics";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger } from "../find.ts";
import { overOption, windowOf } from "../flags/plan.ts";
import { showQuote } from "../show/quote.ts";
import { sayJson } from "../terminal/output.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";
import { makeRelease } from "./release.ts";

interface RowFlags {
  readonly rows?: string;
  readonly seed?: string;
  readonly output?: string;
}

interface MakeFlags extends RowFlags {
  readonly epsilon?: string;
  readonly rho?: string;
  readonly columns?: string;
  readonly bins?: string;
  readonly where?: string;
  readonly weights?: string;
  readonly impossible?: string;
  readonly account?: string;
  readonly over?: string;
  readonly key?: string;
  readonly quote?: true;
}

interface CountFlags {
  readonly where?: string;
  readonly mean?: string;
  readonly seed?: string;
}

const rowOptions = (command: Command): Command =>
  command
    .option("--rows <number>", "how many rows; as many as the table seems to have when absent")
    .option("--seed <number>", "the same seed gives the same rows (default: 0)")
    .option(
      "-o, --output <file>",
      "write the rows to this file instead of the terminal; Parquet where its name ends so, else CSV",
    );

/** `dosimeter synthesize [make] | rows | count`: one charge for the counts, then rows as CSV or Parquet, and counts of them. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  rowOptions(
    command
      .command("make", { isDefault: true })
      .description("pay for the counts of a synthetic table, and make rows of them")
      .argument("<dataset>", "its name or id")
      .option("--epsilon <amount>", "the price of the whole table")
      .option("--rho <amount>", "the price instead, for Gaussian noise")
      .option("--columns <names>", "only these columns, with commas between (default: all that are declared)")
      .option(
        "--bins <number or list>",
        'bins of each column of numbers with more values (default: 20), or those of single columns: "income = 0, 20000, 50000; city = Oslo, Bergen; age = release:ID"',
      )
      .option("--where <condition>", "only rows that match, such as age >= 18")
      .option("--weights <list>", "weights, such as age=3,age+sex=5 (0 to 100; 1 when absent)")
      .option("--impossible <condition>", "impossible combinations, such as age < 15 and married = true")
      .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
      .option(...overOption)
      .option("--quote", "only what it would cost and how far off it would be; nothing is charged")
      .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever"),
  ).action(async (name: string, flags: MakeFlags) => {
    const wanted = wantedRows(flags);
    const release = await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { id } = await findAccount(client, ledger.id, flags.account);
      const bins = flags.bins === undefined ? undefined : await binsOf(client, flags.bins, ledger.dataset);
      const plan = { ...windowOf(flags), statistics: [requestOf(flags, bins)] };
      const asked = { dataset: ledger.dataset, account: id, plan };
      if (!flags.quote) return makeRelease(client, asked, flags.key, terminal);
      const quoted = await client.quotePlan({ ...asked, plan: plan as never });
      if (!quoted.admitted) endWith(exitCodes.refused);
      await (globals().json ? sayJson(terminal, quoted) : showQuote(terminal, quoted));
      return null;
    });
    if (release === null) return;
    if (globals().json) return sayJson(terminal, release);
    await writeRows(release, wanted, terminal);
  });

  rowOptions(
    command
      .command("rows")
      .description("make rows of a synthetic table that was released before, for free")
      .argument("<release>", "its id"),
  ).action(async (id: string, flags: RowFlags) => {
    const wanted = wantedRows(flags);
    const release = await withClient(context, (client) => client.showRelease({ release: id }));
    await writeRows(release, wanted, terminal);
  });

  command
    .command("count")
    .description("count made-up rows of a synthetic table by a condition, for free, with what that is worth")
    .argument("<release>", "its id")
    .option("--where <condition>", "which rows, such as age < 30 and married = true")
    .option("--mean <column>", "also the mean of this column over them")
    .option("--seed <number>", "the same seed gives the same rows (default: 0)")
    .action(async (id: string, flags: CountFlags) => {
      const release = await withClient(context, (client) => client.showRelease({ release: id }));
      await countRows(release, flags, context);
    });
}

/** Bins as a plan has them: those that a column takes from a release are read from it. */
async function binsOf(client: Client, said: string, dataset: string): Promise<number | string> {
  if (!said.includes("=")) return typedNumber(said, {}, "--bins").value;
  const named = releasesNamed(said);
  if (named.length === 0) return said;
  const declaration = checkDeclaration((await client.showDataset({ dataset })).declaration);
  let bins = said;
  for (const { column, release } of named) {
    const asked = { of: dataset, declaration, only: column, path: `--bins ${column}` };
    bins = withColumnBins(bins, releasedBins(await client.showRelease({ release }), asked));
  }
  return bins;
}

async function countRows(release: Release, flags: CountFlags, { terminal, globals }: Context): Promise<void> {
  const answer = askRows(tableOf(release).table, { ...flags, seed: seedOf(flags.seed) });
  if (globals().json) return sayJson(terminal, answer);
  const { count, mean, notes } = answer;
  terminal.out.write(`about ${digits.format(count)} of ${digits.format(answer.rows)} rows\n`);
  if (mean !== undefined)
    terminal.out.write(`mean of ${flags.mean}: ${mean === null ? "no row has a value" : digits.format(mean)}\n`);
  for (const note of notes) terminal.err.write(`${printable(note)}\n`);
}
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

function requestOf(
  { epsilon, rho, columns, where, weights, impossible }: MakeFlags,
  bins: number | string | undefined,
): object {
  return {
    statistic: "syntheticTable",
    ...(columns === undefined ? {} : { with: columns.split(",").map((name) => name.trim()) }),
    ...present({ bins, where, weights, impossible, epsilon, rho }),
  };
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

interface WantedRows extends SyntheticRequest {
  readonly output?: string | undefined;
}

/** Checked before anything is paid. */
function wantedRows({ rows, seed, output }: RowFlags): WantedRows {
  return {
    rows:
      rows === undefined
        ? undefined
        : typedNumber(rows, { min: 1, max: MAX_SYNTHETIC_ROWS, isWhole: true }, "--rows").value,
    seed: seedOf(seed),
    output,
  };
}

const seedOf = (seed: string | undefined): number | undefined =>
  seed === undefined ? undefined : typedNumber(seed, { min: 0, max: 2 ** 32 - 1, isWhole: true }, "--seed").value;

/** The synthetic table of a release, and the notes that its answer has. */
function tableOf(release: Release): { readonly table: ReleasedTable; readonly notes: readonly string[] } {
  const answer = release.answers?.find(({ table }) => table !== undefined);
  if (answer?.table === undefined) return invalid("release", release.id, "one with a synthetic table");
  return { table: answer.table as unknown as ReleasedTable, notes: answer.notes };
}

const isParquet = (output: string): boolean => output.toLowerCase().endsWith(".parquet");

/** Rows go where they were asked for; what they are good for goes to standard error. */
async function writeRows(release: Release, { output, ...wanted }: WantedRows, terminal: Terminal): Promise<void> {
  const { table, notes } = tableOf(release);
  terminal.err.write(`release ${release.id}; more rows are free: dosimeter synthesize rows ${release.id}\n`);
  if (output === undefined) for (const piece of syntheticCsv(table, wanted)) terminal.out.write(piece);
  else
    await writeFile(
      resolve(terminal.cwd, output),
      isParquet(output) ? await syntheticParquet(table, wanted) : syntheticCsv(table, wanted),
    );
  const { columns, pairs } = tableErrors(table, estimateTable(table).rows);
  const worst = Math.max(...[...columns, ...pairs].map(({ error }) => error));
  const said = [
    `the noise alone misplaces up to ${percent.format(worst)} of the rows of a column or a measured pair`,
    ...notes,
  ];
  for (const line of said) terminal.err.write(`${printable(line)}\n`);
}
