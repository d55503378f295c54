import type { Client, Release } from "@dosimeter/client";
import { askedBy, citation } from "@dosimeter/plot/report";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context, Globals } from "../context.ts";
import { findAccount, findDataset, findLedger, listOf, withJoinedId } from "../find.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { type ReuseFlags, reuseOf, reuseOptions } from "../flags/reuse.ts";
import { answersAsCsv, showAnswers } from "../show/answers.ts";
import { receiptFacts } from "../show/receipt.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { paint, printable, printableLines, type Terminal } from "../terminal/terminal.ts";

interface MakeFlags extends PlanFlags, ReuseFlags {
  readonly account?: string;
  readonly key?: string;
  readonly purpose?: string;
  readonly csv?: true;
}

/** How long a retry is waited for. */
const RETRY_SECONDS = 20;

/** `dosimeter release [make] | show | retry | label | cite | list`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const make = command
    .command("make", { isDefault: true })
    .description("charge the plan durably, then measure and release it")
    .argument("<dataset>", "its name or id")
    .option("-a, --account <account>", "who pays: a path or id (default: the only account that I hold)")
    .option("--key <key>", "idempotency key: the same key is charged once and answers the same for ever")
    .option("--purpose <text>", "of an AI agent: why it asks, for the person for whom it acts")
    .option("--csv", "print the answers as CSV");
  reuseOptions(planOptions(make)).action(async (name: string, flags: MakeFlags) => {
    const plan = await planOf(flags, terminal.cwd);
    const release = await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { id } = await findAccount(client, ledger.id, flags.account);
      return makeRelease(
        client,
        {
          dataset: ledger.dataset,
          account: id,
          plan: await withJoinedId(client, plan),
          ...reuseOf(flags),
          ...(flags.purpose === undefined ? {} : { purpose: flags.purpose }),
        },
        flags.key,
        terminal,
      );
    });
    await showRelease(terminal, release, globals(), flags);
  });

  command
    .command("show")
    .description("read a release again, for free")
    .argument("<release>", "its id")
    .option("--csv", "print the answers as CSV")
    .action(async (id: string, flags: { csv?: true }) => {
      const release = await withClient(context, (client) => client.showRelease({ release: id }));
      await showRelease(terminal, release, globals(), flags);
    });

  command
    .command("retry")
    .description("measure a release again that failed or was set aside; nothing is charged")
    .argument("<release>", "its id")
    .option("--csv", "print the answers as CSV")
    .action(async (id: string, flags: { csv?: true }) => {
      const release = await withClient(context, async (client) => {
        await client.retryRelease({ release: id });
        return client.showRelease({ release: id, wait: RETRY_SECONDS });
      });
      await showRelease(terminal, release, globals(), flags);
    });

  command
    .command("label")
    .description("call a release something, or write a note next to it; its answers stay as they are")
    .argument("<release>", "its id")
    .option("--title <title>", 'its title; "" for what it asks and costs')
    .option("--note <note>", 'what there is to say about it; "" for nothing')
    .action(async (id: string, flags: { title?: string; note?: string }) => {
      const text = (given: string | undefined) => (given === "" ? null : given);
      const labelled = await withClient(context, (client) =>
        client.labelRelease({ release: id, title: text(flags.title), note: text(flags.note) }),
      );
      if (globals().json) return sayJson(terminal, labelled);
      sayFacts(terminal, [
        ["title", labelled.title],
        ["note", labelled.note ?? "—"],
      ]);
    });

  defineReading(command, context);
}

/** `dosimeter release cite | list`. */
function defineReading(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("cite")
    .description("a release as others cite it")
    .argument("<release>", "its id")
    .option("--bibtex", "as an entry of BibTeX")
    .action(async (id: string, flags: { bibtex?: true }) => {
      const cited = await withClient(context, async (client, { url }) =>
        citation(await client.showRelease({ release: id }), `${url.replace(/\/$/, "")}/releases/${id}`),
      );
      if (globals().json) return sayJson(terminal, cited);
      terminal.out.write(printableLines(flags.bibtex ? cited.bibtex : `${cited.text}\n`));
    });

  command
    .command("list")
    .description("the releases that I can read, newest first")
    .argument("[dataset]", "only of this dataset, by name or id")
    .action(async (name: string | undefined) => {
      const releases = await withClient(context, async (client) => {
        const dataset = name === undefined ? {} : { dataset: (await findDataset(client, name)).id };
        return listOf(client.all("listReleases", dataset));
      });
      if (globals().json) return sayJson(terminal, releases);
      await sayTable(terminal, releases, [
        { heading: "release", cell: ({ id }) => id },
        { heading: "charged", cell: ({ chargedAt }) => chargedAt.replace(/\.\d+Z$/, "Z") },
        { heading: "state", cell: ({ state }) => state },
        { heading: "title", cell: ({ title }) => title },
        { heading: "line", cell: ({ entry }) => String(entry), right: true },
        { heading: "by", cell: askedBy },
      ]);
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
  { csv }: { readonly csv?: true },
): Promise<void> {
  if (globals.json) return sayJson(terminal, release);
  if (csv) {
    terminal.out.write(answersAsCsv(release));
    return;
  }
  say(terminal, paint(terminal, "bold", printable(release.title)));
  if (release.note !== null) say(terminal, printable(release.note));
  say(terminal);
  await showAnswers(terminal, release);
  say(terminal);
  receiptFacts(terminal, release);
}
