import { invalid } from "@dosimeter/core";
import { typedNumber } from "@dosimeter/core/internal";
import { profileOf } from "@dosimeter/planner";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger } from "../find.ts";
import { overOption, windowOf } from "../flags/plan.ts";
import { type ReuseFlags, reuseOf, reuseOptions } from "../flags/reuse.ts";
import { showQuote } from "../show/quote.ts";
import { say, sayJson } from "../terminal/output.ts";
import { paint, printable } from "../terminal/terminal.ts";
import { makeRelease, showRelease } from "./release.ts";

interface Flags extends ReuseFlags {
  readonly epsilon: string;
  readonly delta?: string;
  readonly people?: string;
  readonly account?: string;
  readonly over?: string;
  readonly key?: string;
  readonly quote?: true;
  readonly csv?: true;
}

/** `dosimeter profile <dataset>`: one plan with what fits each declared column, split so that all answers are equally good. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const profile = command
    .argument("<dataset>", "its name or id")
    .requiredOption("--epsilon <amount>", "the price of the whole profile")
    .option("--delta <amount>", "for the most frequent values of text columns; without it these are left out")
    .option("--people <number>", "assumed in errors where the table declares no number of rows")
    .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
    .option(...overOption)
    .option("--quote", "only what it would cost and say; nothing is charged")
    .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever")
    .option("--csv", "print the answers as CSV");
  reuseOptions(profile).action(async (name: string, flags: Flags) => {
    const people = flags.people === undefined ? undefined : typedNumber(flags.people, {}, "--people").value;
    await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { declaration } = await client.showDataset({ dataset: ledger.dataset });
      const declared = checkDeclaration(declaration);
      const window = windowOf(flags);
      if (declared.blocks !== undefined && flags.over === undefined)
        invalid("--over", undefined, "given: the blocks that are measured and pay, such as 'latest 12'");
      const { rows, leftOut } = profileOf(declared, { ...flags, ...window, people });
      for (const { column, reason } of leftOut)
        terminal.err.write(paint(terminal, "dim", `left out: ${printable(column)}, ${reason}\n`));
      const plan = { ...window, statistics: rows.map(({ id, request, epsilon }) => ({ id, ...request, epsilon })) };
      const { id } = await findAccount(client, ledger.id, flags.account);
      const asked = { dataset: ledger.dataset, account: id, plan, ...reuseOf(flags) };
      if (flags.quote) {
        const quoted = await client.quotePlan({
          ...asked,
          plan: plan as never,
          ...(people === undefined ? {} : { people }),
        });
        if (!quoted.admitted) endWith(exitCodes.refused);
        return globals().json ? sayJson(terminal, quoted) : showQuote(terminal, quoted);
      }
      const release = await makeRelease(client, asked, flags.key, terminal);
      await showRelease(terminal, release, globals(), flags);
      if (!globals().json && !flags.csv)
        say(terminal, `\n${rows.length} statistics of ${printable(name)}, one charge.`);
    });
  });
}
