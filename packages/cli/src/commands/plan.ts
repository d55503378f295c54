import type { Account, Client, Quote } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger, withJoinedId } from "../find.ts";
import { asPlan, type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { type ReuseFlags, reuseOf, reuseOptions } from "../flags/reuse.ts";
import { showQuote } from "../show/quote.ts";
import { say, sayJson } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `dosimeter plan quote`: what a plan would cost; reads no data. A plan that does not fit ends with code 3. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const quote = command
    .command("quote")
    .description("cost, error of every answer and what would be left; reads no data and changes nothing")
    .argument("<dataset>", "its name or id")
    .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
    .option("--epsilon <total>", "split evenly between the statistics that state no price");
  reuseOptions(planOptions(quote)).action(
    async (name: string, flags: PlanFlags & ReuseFlags & { account?: string; epsilon?: string }) => {
      const total = flags.epsilon === undefined ? {} : { epsilon: flags.epsilon };
      const plan = await planOf(flags, terminal);
      const { quoted, priced } = await withClient(context, async (client) => {
        const ledger = await findLedger(client, name);
        const account = await findAccount(client, ledger.id, flags.account);
        const joined = await withJoinedId(client, plan);
        const whole =
          flags.epsilon === undefined
            ? await withFirstPrices(client, joined, ledger.dataset, account)
            : { plan: joined, priced: [] };
        const about = { dataset: ledger.dataset, account: account.id, plan: whole.plan as never };
        const asked = { ...about, ...total, ...reuseOf(flags) };
        return { quoted: await client.quotePlan(asked), priced: whole.priced };
      });
      if (!quoted.admitted) endWith(exitCodes.refused);
      if (globals().json) return sayJson(terminal, quoted);
      await showQuote(terminal, quoted);
      sayFirstPrices(terminal, quoted, priced);
    },
  );
}

/** A price for each statistic that has none. Only for a quote: a release takes the prices that a person gave. */
async function withFirstPrices(
  client: Client,
  plan: Awaited<ReturnType<typeof planOf>>,
  dataset: string,
  account: Account,
): Promise<{ readonly plan: object; readonly priced: readonly number[] }> {
  const lacks = plan.statistics.some(({ epsilon, rho }) => epsilon === undefined && rho === undefined);
  if (!lacks || plan.format !== undefined) return { plan, priced: [] };
  const { checkDeclaration } = await import("@dosimeter/query/declaration");
  const { headroomOf, pricedPlan } = await import("@dosimeter/planner");
  const shown = await client.showDataset({ dataset });
  const declaration = checkDeclaration(shown.declaration);
  const headroom = headroomOf(shown, account, { hasBlocks: declaration.blocks !== undefined });
  if (headroom === null) return { plan, priced: [] };
  const other = (plan.join as { readonly dataset: string } | undefined)?.dataset;
  const joined = other === undefined ? null : await client.showDataset({ dataset: other });
  const joinable =
    joined === null || other === undefined
      ? {}
      : { joinable: { [other]: { version: joined.version, declaration: checkDeclaration(joined.declaration) } } };
  const found = pricedPlan(asPlan(plan), headroom, { ...declaration, ...joinable });
  const [hopeless] = found.hopeless;
  if (hopeless !== undefined)
    invalid(
      `statistics[${hopeless}].epsilon`,
      undefined,
      "stated: no price that is left makes it useful, so none is proposed; ask for fewer groups or bins, or for more budget",
    );
  return found;
}

function sayFirstPrices(terminal: Terminal, { statistics }: Quote, priced: readonly number[]): void {
  if (priced.length === 0) return;
  say(
    terminal,
    "\nNo price was given for some statistics. They are quoted at the least price that makes their answer useful, or, where that is more than is left, not useless:",
  );
  for (const index of priced) {
    const row = statistics[index];
    if (row === undefined) continue;
    const price = "epsilon" in row.cost ? `epsilon=${row.cost.epsilon}` : `rho=${row.cost.rho}`;
    say(terminal, `  ${row.label}  ${price}`);
  }
  say(terminal, "A release is never priced for you: give these prices, or others, to dosimeter release.");
}
