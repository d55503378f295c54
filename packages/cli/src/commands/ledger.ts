import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { BlockBalances, Client, Entry, Input, Ledger } from "@dosimeter/client";
import { activeRuleRow, DEFAULT_RULE, invalid, PrivacyError, rangeName, ruleNames } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, findLedger, listOf } from "../find.ts";
import { needsAnOption } from "../flags/needs-option.ts";
import { amount, gauge, ledgerFacts, short } from "../show/columns.ts";
import { reportCommand } from "../show/report.ts";
import { type Column, say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { defineCopies } from "./ledger-copies.ts";

export interface LedgerFlags {
  readonly epsilon?: string;
  readonly delta?: string;
  readonly rule?: string;
  readonly deltaSelection?: string;
  readonly autoSwitch?: true;
  readonly ceiling?: string;
  readonly ceilingDelta?: string;
}

/** `dosimeter ledger [show] | blocks | report | open | switch | set | amend | amendments | import | publish | public`. */
export function define(command: Command, context: Context): void {
  defineShow(command, context);
  defineBlocks(command, context);
  defineReport(command, context);
  defineAudit(command, context);
  defineFreeze(command, context);
  defineReopen(command, context);
  defineMigrate(command, context);
  defineExport(command, context);
  defineOpen(command, context);
  defineSwitch(command, context);
  defineMore(command, context);
  defineCopies(command, context);
}

function defineShow(command: Command, context: Context): void {
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
}

function defineBlocks(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("blocks")
    .description(
      "of a population with blocks: what the ledger and the accounts that I may see have spent and set aside in each",
    )
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const shown = await withClient(context, async (client) =>
        client.showBlocks({ ledger: (await findLedger(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, shown);
      const { calendar, rows } = shown;
      if (calendar === null) return say(terminal, "This ledger has no blocks, or no table declares them yet.");
      const lines = rows.flatMap(({ runs, ...row }) => runs.map((run) => ({ ...row, ...run })));
      const isMu2 = rows.some(({ activeRule }) => activeRuleRow(activeRule).counts === "mu2");
      await sayTable(terminal, lines, [
        { heading: "budget", cell: (line) => line.name },
        { heading: calendar.every, cell: ({ from, to }) => rangeName(from, to) },
        { heading: "spent ε", cell: ({ epsilon }) => amount(epsilon), right: true },
        { heading: "of ε", cell: ({ quota }) => amount(quota.epsilon), right: true },
        ...(isMu2 ? mu2Columns : []),
        { heading: "used", cell: ({ used }) => percent(used), right: true },
        { heading: "set aside", cell: ({ earmarked }) => percent(earmarked), right: true },
        { heading: "free", cell: ({ used, earmarked }) => percent(Math.max(0, 1 - used - earmarked)), right: true },
      ]);
      say(
        terminal,
        `Each ${calendar.every} has a budget of its own; one in no line is free. Closed up to: ${calendar.closed ?? "none yet"}.`,
      );
    });
}

type Row = BlockBalances["rows"][number];

/** Where the rule counts μ², what is used, set aside and free is a share of it. */
const mu2Columns: readonly Column<Pick<Row, "muSquared"> & Pick<Row["runs"][number], "mu2">>[] = [
  { heading: "spent μ²", cell: ({ mu2 }) => short(mu2, "up"), right: true },
  { heading: "of μ²", cell: ({ muSquared }) => short(muSquared, "down"), right: true },
];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function defineReport(command: Command, context: Context): void {
  reportCommand(
    command
      .command("report")
      .description("what was promised and spent, with every accountant side by side over time")
      .argument("<dataset>", "its name or id"),
    context,
    async (client, [dataset = ""], options) =>
      client.reportLedger({ ledger: (await findLedger(client, dataset)).id, ...options }),
  );
}

function defineAudit(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("audit")
    .description("every change of this ledger and its accounts, in the chain of hashes")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const lines = await withClient(context, async (client) =>
        listOf(client.all("listLedgerAudit", { ledger: (await findLedger(client, name)).id })),
      );
      if (globals().json) return sayJson(terminal, lines);
      await sayTable(terminal, lines, [
        { heading: "line", cell: ({ sequence }) => String(sequence), right: true },
        { heading: "when", cell: ({ at }) => at },
        { heading: "who", cell: ({ actorName }) => actorName },
        { heading: "what", cell: ({ action }) => action },
        { heading: "on", cell: ({ subject }) => subject },
        { heading: "hash", cell: ({ hash }) => hash.slice(0, 12) },
      ]);
    });
}

function defineFreeze(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("freeze")
    .description("no account spends from this ledger until it is reopened")
    .argument("<dataset>", "its name or id")
    .requiredOption("--reason <text>", "why; it stays in the audit")
    .action(async (name: string, { reason }: { reason: string }) => {
      const ledger = await withClient(context, async (client) =>
        client.freezeLedger({ ledger: (await findLedger(client, name)).id, reason }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      sayFacts(terminal, ledgerFacts(terminal, ledger));
    });
}

function defineReopen(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("reopen")
    .description(
      "open a frozen ledger; what may be missing is written off, by two people where no signed witness says what it was",
    )
    .argument("<dataset>", "its name or id")
    .requiredOption("--epsilon <amount>", "written off; 0 where nothing can be missing")
    .option("--delta <amount>", "written off", "0")
    .requiredOption("--reason <text>", "why; it stays in the audit")
    .action(async (name: string, flags: { epsilon: string; delta: string; reason: string }) => {
      const ledger = await withClient(context, async (client) =>
        client.reopenLedger({ ledger: (await findLedger(client, name)).id, ...flags }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      sayFacts(terminal, ledgerFacts(terminal, ledger));
      if (ledger.status === "frozen")
        say(
          terminal,
          "Asked. It opens when a second admin, of its datasets or of the platform, gives the same amounts.",
        );
    });
}

interface MigrateFlags {
  readonly every: Input<"migrateLedger">["every"];
  readonly zone: string;
  readonly through?: string;
  readonly close?: true;
  readonly reason: string;
}

function defineMigrate(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("migrate")
    .description("give each period the lifetime for itself; what was spent counts in those that were measured")
    .argument("<dataset>", "its name or id")
    .requiredOption("--every <unit>", "day, week, month, quarter or year")
    .option("--zone <zone>", "by whose clocks a period ends", "UTC")
    .option(
      "--through <period>",
      "the last one of which rows may have been measured; needed where declared dates lie ahead (default: the present one)",
    )
    .option("--close", "nothing more is asked about the periods through that one")
    .requiredOption("--reason <text>", "why; stands in the new version")
    .action(async (name: string, { close, ...flags }: MigrateFlags) => {
      const ledger = await withClient(context, async (client) =>
        client.migrateLedger({ ledger: (await findLedger(client, name)).id, isClosed: close === true, ...flags }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      if (ledger.blocks === undefined) return say(terminal, "Asked. It happens when a second admin asks for the same.");
      sayFacts(terminal, ledgerFacts(terminal, ledger));
      say(terminal, "Now publish versions whose declarations have these blocks: nothing is asked until then.");
    });
}

function defineExport(command: Command, context: Context): void {
  const { terminal, globals } = context;
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
}

function defineOpen(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const open = command
    .command("open")
    .description("open the ledger of a dataset's people with its lifetime (ε, δ)")
    .argument("<dataset>", "its name or id");
  ledgerOptions(open, true).option("--preview", "only show the sentence that would be true");
  open.action(async (name: string, { preview, ...flags }: LedgerFlags & { readonly preview?: true }) => {
    if (preview) {
      const shown = await withClient(context, async (client) =>
        client.previewLedger(openingOf((await findDataset(client, name)).id, flags)),
      );
      if (globals().json) return sayJson(terminal, shown);
      say(terminal, shown.sentence);
      return sayWarnings(terminal, shown);
    }
    const ledger = await withClient(context, async (client) =>
      openLedger(client, (await findDataset(client, name)).id, flags),
    );
    if (globals().json) return sayJson(terminal, ledger);
    sayFacts(terminal, ledgerFacts(terminal, ledger));
    sayWarnings(terminal, ledger);
  });
}

/** On the error stream, so that a pipe gets the answer alone. */
export function sayWarnings(terminal: Terminal, { warnings = [] }: Pick<Ledger, "warnings">): void {
  for (const warning of warnings) terminal.err.write(`${paint(terminal, "yellow", `warning: ${warning}`)}\n`);
}

function defineSwitch(command: Command, context: Context): void {
  const { terminal, globals } = context;
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

/** Raising the lifetime, and the settings that do not touch the promise. */
function defineMore(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("set")
    .description(
      "who switches the rule, whether more may be promised than there is, whether charges are taken, how reports compose",
    )
    .argument("<dataset>", "its name or id")
    .option("--policy <policy>", "ask, or auto: the first charge that fits only the tight rule switches")
    .option("--mode <mode>", "funded, or overbooked: it only ever costs availability")
    .option("--status <status>", "frozen: no charge is taken; open")
    .option("--threshold <epsilon>", "ε of one query above which AGENT composes by addition in reports (at first 1)")
    .hook("preAction", needsAnOption)
    .action(async (name: string, settings: Omit<Input<"setLedger">, "ledger">) => {
      const ledger = await withClient(context, async (client) =>
        client.setLedger({ ledger: (await findLedger(client, name)).id, ...settings }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      sayFacts(terminal, ledgerFacts(terminal, ledger));
    });

  command
    .command("amend")
    .description("ask for a higher lifetime, or answer who asks; it takes effect when a second person agrees")
    .argument("<dataset>", "its name or id")
    .option("--epsilon <decimal>", "the new lifetime ε")
    .option("--delta <decimal>", "the new lifetime δ (default: as it is)")
    .option("--reason <words>", "why; stands in the new version")
    .option("--preview", "only show the sentence that would be true")
    .option("--second", "agree to the raise that was asked for")
    .option("--reject", "refuse it")
    .option("--withdraw", "take back the one I asked for")
    .option("--note <words>", "a word with the decision")
    .action(async (name: string, flags: AmendFlags) => {
      const result = await withClient(context, (client) => amend(client, name, flags));
      if (globals().json) return sayJson(terminal, result);
      const status = "status" in result ? result.status : "would be true";
      const words = "sentence" in result ? [result.sentence] : result.note === "" ? [] : [result.note];
      say(terminal, `ε ${result.epsilon}, δ ${result.delta}: ${status}`);
      for (const line of words) say(terminal, line);
      if ("status" in result && result.status === "proposed")
        say(terminal, "It takes effect when a second person agrees: dosimeter ledger amend … --second");
    });

  command
    .command("amendments")
    .description("every version of the guarantee, and every raise that was asked for")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const { versions, items } = await withClient(context, async (client) =>
        client.listAmendments({ ledger: (await findLedger(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, { versions, items });
      await sayTable(terminal, versions, [
        { heading: "version", cell: ({ version }) => String(version), right: true },
        { heading: "at", cell: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
        { heading: "ε", cell: ({ epsilon }) => epsilon, right: true },
        { heading: "δ", cell: ({ delta }) => delta, right: true },
        { heading: "decided by", cell: ({ decidedByName }) => decidedByName },
        { heading: "seconded by", cell: ({ secondedByName }) => secondedByName ?? "no one else could" },
        { heading: "reason", cell: ({ reason }) => reason },
        { heading: "sentence", cell: ({ sentence }) => sentence },
      ]);
      const open = items.filter(({ status }) => status === "proposed");
      for (const { proposedByName, epsilon, delta, reason } of open)
        say(terminal, `asked for by ${proposedByName}: ε ${epsilon}, δ ${delta} (${reason})`);
    });
}

interface AmendFlags {
  readonly epsilon?: string;
  readonly delta?: string;
  readonly reason?: string;
  readonly preview?: true;
  readonly second?: true;
  readonly reject?: true;
  readonly withdraw?: true;
  readonly note?: string;
}

async function amend(client: Client, name: string, flags: AmendFlags) {
  const { id: ledger } = await findLedger(client, name);
  const { note, second, reject, withdraw } = flags;
  if (second || reject || withdraw) {
    const { items } = await client.listAmendments({ ledger });
    const open = items.find(({ status }) => status === "proposed");
    if (open === undefined) throw new PrivacyError("NOT_FOUND", { name: "amendment" }, "no raise waits for a decision");
    const decision = { amendment: open.id, ...(note === undefined ? {} : { note }) };
    if (second) return client.secondAmendment(decision);
    return reject ? client.rejectAmendment(decision) : client.withdrawAmendment(decision);
  }
  const { epsilon, delta, reason } = flags;
  if (epsilon === undefined) invalid("--epsilon", undefined, "given");
  const raise = { ledger, epsilon, delta: delta ?? (await client.showLedger({ ledger })).guarantee.delta };
  if (flags.preview) return client.previewAmendment(raise);
  if (reason === undefined) invalid("--reason", undefined, "given");
  return client.proposeAmendment({ ...raise, reason });
}

/** The options that say how a ledger opens. */
export function ledgerOptions(command: Command, isRequired: boolean): Command {
  const option = isRequired ? command.requiredOption.bind(command) : command.option.bind(command);
  option("--epsilon <decimal>", "the lifetime ε");
  option("--delta <decimal>", "the lifetime δ");
  return command
    .option(
      "--rule <rule>",
      `one of ${ruleNames.join(", ")}; when absent: addition for a population with blocks, else ${DEFAULT_RULE}`,
    )
    .option("--delta-selection <decimal>", "the part of δ for selections and approximate events (default: a tenth)")
    .option(
      "--ceiling <decimal>",
      "a larger ε that is promised too, through every raise up to it (default: the lifetime)",
    )
    .option("--ceiling-delta <decimal>", "the same for δ (default: the lifetime)")
    .option("--auto-switch", "let the first charge that fits only the tight rule switch the ledger");
}

export const openLedger = (client: Client, dataset: string, flags: LedgerFlags): Promise<Ledger> =>
  client.openLedger(openingOf(dataset, flags));

function openingOf(dataset: string, flags: LedgerFlags): Input<"openLedger"> {
  const { epsilon, delta, rule, deltaSelection, autoSwitch, ceiling, ceilingDelta } = flags;
  if (epsilon === undefined || delta === undefined) {
    const name = epsilon === undefined ? "--epsilon" : "--delta";
    invalid(name, undefined, "given: a lifetime has both ε and δ");
  }
  return {
    dataset,
    epsilon,
    delta,
    ...(rule === undefined ? {} : { rule: rule as NonNullable<Input<"openLedger">["rule"]> }),
    ...(deltaSelection === undefined ? {} : { deltaSelection }),
    ...(ceiling === undefined && ceilingDelta === undefined
      ? {}
      : { ceiling: { epsilon: ceiling ?? epsilon, delta: ceilingDelta ?? delta } }),
    ...(autoSwitch === undefined ? {} : { policy: "auto" as const }),
  };
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
      { heading: "cost μ²", cell: ({ cost }) => (cost === null ? "" : short(cost.mu2, "up")), right: true },
      { heading: "μ² left", cell: ({ remainingMu2After }) => short(remainingMu2After, "down"), right: true },
      { heading: "hash", cell: ({ hash }) => hash.slice(0, 12) },
    ],
  );
}
