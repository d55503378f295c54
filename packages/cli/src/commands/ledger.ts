import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client, Entry, Input, Ledger } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import { findDataset, findLedger, listOf } from "../find.ts";
import { say, sayFacts, sayJson, sayTable } from "../output.ts";
import type { Context } from "../program.ts";
import { reportCommand } from "../report.ts";
import { amount, gauge, ledgerFacts, short } from "../show.ts";
import { paint, type Terminal } from "../terminal.ts";

export interface LedgerFlags {
  readonly epsilon?: string;
  readonly delta?: string;
  readonly rule?: string;
  readonly deltaSelection?: string;
  readonly autoSwitch?: true;
  readonly ceiling?: string;
  readonly ceilingDelta?: string;
}

/** `dosimeter ledger [show] | report | open | switch`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("show", { isDefault: true })
    .description("the guarantee, what is left, and every line")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const shown = await withClient(context, async (client) => {
        const { id } = await findLedger(client, name);
        const entries = await listOf(client.all("listEntries", { ledger: id }));
        return { ledger: await client.showLedger({ ledger: id }), entries };
      });
      if (globals().json) return sayJson(terminal, shown);
      await showLedger(terminal, shown.ledger, shown.entries);
    });

  reportCommand(
    command
      .command("report")
      .description("what was promised and spent, with every accountant side by side over time")
      .argument("<dataset>", "its name or id"),
    context,
    async (client, [dataset = ""], options) =>
      client.reportLedger({ ledger: (await findLedger(client, dataset)).id, ...options }),
  );

  command
    .command("export")
    .description("the whole ledger as signed JSON Lines, for keeping elsewhere and for dosimeter verify")
    .argument("<dataset>", "its name or id")
    .option("--out <file>", "write it there instead of printing it")
    .action(async (name: string, { out }: { out?: string }) => {
      const bytes = await withClient(context, async (client) =>
        client.exportLedger({ ledger: (await findLedger(client, name)).id }).then((blob) => blob.text()),
      );
      if (out === undefined) return void terminal.out.write(bytes);
      await writeFile(resolve(terminal.cwd, out), bytes, { mode: 0o600 });
      if (globals().json) sayJson(terminal, { file: out, bytes: Buffer.byteLength(bytes) });
      else say(terminal, `Written to ${out}. Check it with: dosimeter verify ${out}`);
    });

  const open = command
    .command("open")
    .description("open the ledger of a dataset's people with its lifetime (ε, δ)")
    .argument("<dataset>", "its name or id");
  ledgerOptions(open, true).action(async (name: string, flags: LedgerFlags) => {
    const ledger = await withClient(context, async (client) =>
      openLedger(client, (await findDataset(client, name)).id, flags),
    );
    if (globals().json) return sayJson(terminal, ledger);
    sayFacts(terminal, ledgerFacts(terminal, ledger));
  });

  command
    .command("switch")
    .description("switch an additionThenTight ledger to the tight rule, once and for good")
    .argument("<dataset>", "its name or id")
    .option("--preview", "only show every account before and after")
    .action(async (name: string, flags: { preview?: true }) => {
      const preview = await withClient(context, async (client) => {
        const { id } = await findLedger(client, name);
        const shown = await client.previewSwitch({ ledger: id });
        if (!flags.preview) await client.switchRule({ ledger: id });
        return shown;
      });
      if (globals().json) return sayJson(terminal, preview);
      if (preview.reason !== null) say(terminal, preview.reason);
      await sayTable(terminal, preview.accounts, [
        { heading: "account", cell: ({ name }) => name },
        { heading: "used before", cell: ({ before }) => gauge(terminal, before.used), right: true },
        {
          heading: "used after",
          cell: ({ after }) => (after === null ? "—" : gauge(terminal, after.used)),
          right: true,
        },
      ]);
    });
}

/** The options that say how a ledger opens. */
export function ledgerOptions(command: Command, isRequired: boolean): Command {
  const option = isRequired ? command.requiredOption.bind(command) : command.option.bind(command);
  option("--epsilon <decimal>", "the lifetime ε");
  option("--delta <decimal>", "the lifetime δ");
  return command
    .option("--rule <rule>", "addition, tight or additionThenTight (default)")
    .option("--delta-selection <decimal>", "the part of δ for selections and approximate events (default: a tenth)")
    .option("--ceiling <decimal>", "how far ε may ever be raised and stay unconditional (default: the lifetime)")
    .option("--ceiling-delta <decimal>", "the same for δ (default: the lifetime)")
    .option("--auto-switch", "let the first charge that fits only the tight rule switch the ledger");
}

export async function openLedger(client: Client, dataset: string, flags: LedgerFlags): Promise<Ledger> {
  const { epsilon, delta, rule, deltaSelection, autoSwitch, ceiling, ceilingDelta } = flags;
  if (epsilon === undefined || delta === undefined) {
    const name = epsilon === undefined ? "--epsilon" : "--delta";
    throw new PrivacyError("INVALID_PARAMETER", { name, want: "given: a lifetime has both ε and δ" });
  }
  return client.openLedger({
    dataset,
    epsilon,
    delta,
    ...(rule === undefined ? {} : { rule: rule as NonNullable<Input<"openLedger">["rule"]> }),
    ...(deltaSelection === undefined ? {} : { deltaSelection }),
    ...(ceiling === undefined && ceilingDelta === undefined
      ? {}
      : { ceiling: { epsilon: ceiling ?? epsilon, delta: ceilingDelta ?? delta } }),
    ...(autoSwitch === undefined ? {} : { policy: "auto" as const }),
  });
}

export async function showLedger(terminal: Terminal, ledger: Ledger, entries: readonly Entry[]): Promise<void> {
  sayFacts(terminal, ledgerFacts(terminal, ledger));
  say(terminal, `\n${paint(terminal, "bold", "Every line, oldest first")}`);
  await sayTable(
    terminal,
    entries.toSorted((a, b) => a.number - b.number),
    [
      { heading: "line", cell: ({ number }) => String(number), right: true },
      { heading: "at", cell: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
      { heading: "what", cell: ({ kind }) => kind },
      { heading: "who", cell: ({ personName }) => personName ?? "" },
      { heading: "cost ε", cell: ({ cost }) => (cost === null ? "" : amount(cost.epsilon)), right: true },
      { heading: "cost δ", cell: ({ cost }) => (cost === null ? "" : cost.delta), right: true },
      { heading: "cost residue", cell: ({ cost }) => (cost === null ? "" : short(cost.residue)), right: true },
      { heading: "residue left", cell: ({ residueAfter }) => short(residueAfter), right: true },
      { heading: "hash", cell: ({ hash }) => hash.slice(0, 12) },
    ],
  );
}
