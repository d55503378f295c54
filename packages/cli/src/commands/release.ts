import type { Client, Release } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { citation } from "@dosimeter/plot/report";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context, Globals } from "../context.ts";
import { findAccount, findLedger, withJoinedId } from "../find.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { type ReuseFlags, reuseOf, reuseOptions } from "../flags/reuse.ts";
import { answersAsCsv, CSV, EXACT, receiptFacts, showAnswers } from "../show/answers.ts";
import { say, sayJson } from "../terminal/output.ts";
import { sureOfVain, YES } from "../terminal/sure.ts";
import { paint, printable, printableLines, type Terminal } from "../terminal/terminal.ts";

interface MakeFlags extends PlanFlags, ReuseFlags, CsvFlags {
  readonly account?: string;
  readonly key?: string;
  readonly purpose?: string;
  readonly yes?: true;
}

interface CsvFlags {
  readonly csv?: true;
  readonly exact?: true;
}

/** How long a retry is waited for. */
const RETRY_SECONDS = 20;

/** `dosimeter release [make] | show | retry | cite`; the others are derived from the routes. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const make = command
    .command("make", { isDefault: true })
    .description("charge the plan durably, then measure and release it")
    .argument("<dataset>", "its name or id")
    .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
    .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever")
    .option("--purpose <text>", "of an AI agent: why it asks, for the person for whom it acts")
    .option(...CSV)
    .option(...EXACT)
    .option(...YES);
  reuseOptions(planOptions(make)).action(async (name: string, flags: MakeFlags) => {
    const plan = await planOf(flags, terminal);
    const release = await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { id } = await findAccount(client, ledger.id, flags.account);
      const asked = {
        dataset: ledger.dataset,
        account: id,
        plan: (await withJoinedId(client, plan)) as never,
        ...reuseOf(flags),
      };
      await sureOfVain(() => client.quotePlan(asked), terminal, flags);
      return makeRelease(client, { ...asked, ...present({ purpose: flags.purpose }) }, flags.key, terminal);
    });
    await showRelease(terminal, release, globals(), flags);
  });

  command
    .command("show")
    .description("read a release again, for free")
    .argument("<release>", "its id")
    .option(...CSV)
    .option(...EXACT)
    .action(async (id: string, flags: CsvFlags) => {
      const release = await withClient(context, (client) => client.showRelease({ release: id }));
      await showRelease(terminal, release, globals(), flags);
    });

  command
    .command("retry")
    .description("measure a release again that failed or was set aside; nothing is charged")
    .argument("<release>", "its id")
    .option(...CSV)
    .option(...EXACT)
    .action(async (id: string, flags: CsvFlags) => {
      const release = await withClient(context, async (client) => {
        await client.retryRelease({ release: id });
        return client.showRelease({ release: id, wait: RETRY_SECONDS });
      });
      await showRelease(terminal, release, globals(), flags);
    });

  defineReading(command, context);
}

/** `dosimeter release cite`. */
function defineReading(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("cite")
    .description("a release as others cite it")
    .argument("<release>", "its id")
    .option("--bibtex", "as an entry of BibTeX")
    .option("--apa", "in the style of the APA")
    .action(async (id: string, flags: { bibtex?: true; apa?: true }) => {
      const cited = await withClient(context, async (client, { url }) =>
        citation(await client.showRelease({ release: id }), `${url.replace(/\/$/, "")}/releases/${id}`),
      );
      if (globals().json) return sayJson(terminal, cited);
      terminal.out.write(printableLines(flags.bibtex ? cited.bibtex : `${flags.apa ? cited.apa : cited.text}\n`));
    });
}

interface ReleaseRequest {
  readonly dataset: string;
  readonly account: string;
  readonly plan: unknown;
}

export function makeRelease(
  client: Client,
  asked: ReleaseRequest,
  key: string | undefined,
  terminal: Terminal,
): Promise<Release> {
  return client.releaseAndWait(asked as never, {
    ...(key === undefined ? {} : { idempotencyKey: key }),
    onStage(stage) {
      if (terminal.isInteractive && stage !== "done") terminal.err.write(`${stage} …\n`);
    },
  });
}

export async function showRelease(
  terminal: Terminal,
  release: Release,
  globals: Globals,
  flags: CsvFlags,
): Promise<void> {
  if (globals.json) return sayJson(terminal, release);
  if (flags.csv) {
    terminal.out.write(answersAsCsv(release, flags));
    return;
  }
  say(terminal, paint(terminal, "bold", printable(release.title)));
  if (release.note !== null) say(terminal, printable(release.note));
  say(terminal);
  await showAnswers(terminal, release);
  say(terminal);
  receiptFacts(terminal, release);
}
