import type { Quote } from "@dosimeter/client";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger } from "../find.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { type ReuseFlags, reuseOf, reuseOptions } from "../flags/reuse.ts";
import { costText, leftText, percent } from "../show/columns.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";

/** `dosimeter plan quote`: what a plan would cost; reads no data. A plan that does not fit ends with code 3. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const quote = command
    .command("quote")
    .description("cost, error of every answer and what would be left; reads no data and changes nothing")
    .argument("<dataset>", "its name or id")
    .option("-a, --account <account>", "who pays: a path or id (default: the only account that I hold)");
  reuseOptions(planOptions(quote)).action(
    async (name: string, flags: PlanFlags & ReuseFlags & { account?: string }) => {
      const plan = await planOf(flags, terminal.cwd);
      const quoted = await withClient(context, async (client) => {
        const ledger = await findLedger(client, name);
        const { id } = await findAccount(client, ledger.id, flags.account);
        return client.quotePlan({ dataset: ledger.dataset, account: id, plan: plan as never, ...reuseOf(flags) });
      });
      if (!quoted.admitted) endWith(exitCodes.refused);
      if (globals().json) return sayJson(terminal, quoted);
      await showQuote(terminal, quoted);
    },
  );
}

export async function showQuote(terminal: Terminal, quote: Quote): Promise<void> {
  for (const { label, sentence, reuse } of quote.statistics) {
    say(terminal, `· ${printable(label)}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`);
    for (const offer of reuse.offers)
      say(terminal, `  ${offer.id === reuse.chosen ? "→" : "○"} ${offer.sentence}  [${offer.id}]`);
    if (reuse.note !== null) say(terminal, paint(terminal, "dim", `  ${reuse.note}`));
  }
  if (quote.cost !== null) say(terminal, `\n${paint(terminal, "bold", "Cost")}  ${costText(quote.cost)}`);
  if (quote.switches) say(terminal, "Paying this switches the ledger to the tight rule, once and for good.");
  say(terminal);
  await sayTable(terminal, quote.path, [
    { heading: "account", cell: ({ name }) => name },
    { heading: "left now", cell: ({ before }) => leftText(before) },
    { heading: "left after", cell: ({ after }) => (after === null ? "does not fit" : leftText(after)) },
    { heading: "used after", cell: ({ after }) => (after === null ? "" : percent(after.used)), right: true },
  ]);
  if (quote.refusal === null) return;
  const { code, detail } = quote.refusal;
  say(terminal, `\n${paint(terminal, "red", "Refused")}  ${detail} [${code}]`);
}
