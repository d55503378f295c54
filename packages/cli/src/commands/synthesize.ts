import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Release } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { typedNumber } from "@dosimeter/core/internal";
import { estimateTable, type ReleasedTable, syntheticCsv, tableErrors } from "@dosimeter/query";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger } from "../find.ts";
import { sayJson } from "../terminal/output.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";
import { showQuote } from "./plan.ts";
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
  readonly account?: string;
  readonly key?: string;
  readonly quote?: true;
}

const rowOptions = (command: Command): Command =>
  command
    .option("--rows <number>", "how many rows; as many as the table seems to have when absent")
    .option("--seed <number>", "the same seed gives the same rows (default: 0)")
    .option("-o, --output <file>", "write the rows to this file instead of the terminal");

/** `dosimeter synthesize [make] | rows`: one charge for the counts, then rows as CSV. */
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
      .option("--bins <number>", "bins of each column of numbers with more values (default: 20)")
      .option("--where <condition>", "only rows that match, such as age >= 18")
      .option("-a, --account <account>", "who pays: a path or id (default: the only account that I hold)")
      .option("--quote", "only what it would cost and how far off it would be; nothing is charged")
      .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever"),
  ).action(async (name: string, flags: MakeFlags) => {
    const release = await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { id } = await findAccount(client, ledger.id, flags.account);
      const plan = { statistics: [requestOf(flags)] };
      const asked = { dataset: ledger.dataset, account: id, plan };
      if (!flags.quote) return makeRelease(client, asked, flags.key, terminal);
      const quoted = await client.quotePlan({ ...asked, plan: plan as never });
      if (!quoted.admitted) endWith(exitCodes.refused);
      await (globals().json ? sayJson(terminal, quoted) : showQuote(terminal, quoted));
      return null;
    });
    if (release === null) return;
    if (globals().json) return sayJson(terminal, release);
    await writeRows(release, flags, terminal);
  });

  rowOptions(
    command
      .command("rows")
      .description("make rows of a synthetic table that was released before, for free")
      .argument("<release>", "its id"),
  ).action(async (id: string, flags: RowFlags) => {
    const release = await withClient(context, (client) => client.showRelease({ release: id }));
    await writeRows(release, flags, terminal);
  });
}

function requestOf({ epsilon, rho, columns, bins, where }: MakeFlags): object {
  return {
    statistic: "syntheticTable",
    ...(columns === undefined ? {} : { with: columns.split(",").map((name) => name.trim()) }),
    ...(bins === undefined ? {} : { bins: typedNumber(bins, {}, "--bins").value }),
    ...(where === undefined ? {} : { where }),
    ...(epsilon === undefined ? {} : { epsilon }),
    ...(rho === undefined ? {} : { rho }),
  };
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

/** Rows go where they were asked for; what they are good for goes to standard error. */
async function writeRows(release: Release, flags: RowFlags, terminal: Terminal): Promise<void> {
  const answer = release.answers?.find(({ table }) => table !== undefined);
  if (answer?.table === undefined) return invalid("release", release.id, "one with a synthetic table");
  const table = answer.table as unknown as ReleasedTable;
  const numberOf = (text: string | undefined, name: string): number | undefined =>
    text === undefined ? undefined : typedNumber(text, {}, name).value;
  const pieces = syntheticCsv(table, { rows: numberOf(flags.rows, "--rows"), seed: numberOf(flags.seed, "--seed") });
  if (flags.output === undefined) for (const piece of pieces) terminal.out.write(piece);
  else await writeFile(resolve(terminal.cwd, flags.output), pieces);
  const { columns, pairs } = tableErrors(table, estimateTable(table).rows);
  const worst = Math.max(...[...columns, ...pairs].map(({ error }) => error));
  const said = [
    `release ${release.id}; more rows are free: dosimeter synthesize rows ${release.id}`,
    `the noise alone puts up to ${percent.format(worst)} of the rows of a column or a measured pair in a wrong cell`,
    ...answer.notes,
  ];
  for (const line of said) terminal.err.write(`${printable(line)}\n`);
}
