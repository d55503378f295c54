import { text as readText } from "node:stream/consumers";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { reuseOptions } from "../flags/reuse.ts";
import { prompt } from "../sql/prompt.ts";
import { runSql, type SqlFlags } from "../sql/run.ts";
import { YES } from "../terminal/sure.ts";

/** `dosimeter sql ["SELECT …"]`: a query, or a prompt for queries. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  command
    .argument("[query]", "SELECT …; - reads standard input; without one, a prompt opens")
    .option("--epsilon <total>", "paid in all, split evenly; never a default")
    .option("--rho <total>", "the same for Gaussian noise")
    .option("--delta <delta>", "for groups that are found in rows")
    .option("--over <blocks>", "of a population with blocks, those that are measured and pay: 'latest 12'")
    .option("--quote", "only say what it costs and how far the answers are off; changes nothing")
    .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
    .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever")
    .option("--purpose <text>", "of an AI agent: why it asks, for the person for whom it acts")
    .option("--exact", "all digits that were released, not only those that mean something")
    .option(...YES);
  reuseOptions(command).action(async (query: string | undefined, flags: SqlFlags) => {
    if (query === undefined && !terminal.isInteractive)
      invalid("query", undefined, '"SELECT …", or - for standard input');
    const sql = query === "-" ? await readText(terminal.in) : query;
    await withClient(context, async (client) => {
      if (sql === undefined) return prompt(client, context, flags);
      const isAdmitted = await runSql(client, sql, { terminal, flags, isJson: globals().json === true });
      if (!isAdmitted) endWith(exitCodes.refused);
    });
  });
}
