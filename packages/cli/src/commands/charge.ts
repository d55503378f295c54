import { spawn } from "node:child_process";
import { access, constants, readFile } from "node:fs/promises";
import { constants as os } from "node:os";
import { delimiter, extname, resolve } from "node:path";
import type { Client, Input } from "@dosimeter/client";
import { type DpEvent, invalid, PrivacyError } from "@dosimeter/core";
import { readPublications } from "@dosimeter/core/accounting";
import { present } from "@dosimeter/core/internal";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { findAccount, findLedger } from "../find.ts";
import { eventsOf } from "../flags/event.ts";
import { readStructured } from "../flags/structured.ts";
import { collect, wholeNumber } from "../flags/values.ts";
import { costText } from "../show/columns.ts";
import { sayFacts, sayJson } from "../terminal/output.ts";
import { onSignals, printable } from "../terminal/terminal.ts";

interface Flags {
  readonly account?: string;
  readonly event: readonly string[];
  readonly key?: string;
  readonly purpose?: string;
  readonly tool?: string;
  readonly relation: string;
  readonly rowsPerUnit?: string;
  readonly delta?: string;
  readonly from?: string;
  readonly to?: string;
  readonly published?: string;
  readonly where?: string;
  readonly quote?: true;
  readonly gateway?: true;
}

/** `dosimeter charge <dataset> … -- program`, `charge approve`, `charge import`; the others are derived from the routes. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  stated(
    command
      .command("make", { isDefault: true })
      .description("charge a program outside, then run it with DOSIMETER_PERMIT set; it is not run when it is refused")
      .argument("<dataset>", "its name or id")
      .argument("[program...]", "after --: what runs once it is charged"),
  )
    .option("--quote", "only say what it would cost")
    .option("--gateway", "leave the permit to who opens the data: this command does not use it up")
    .action(async (name: string, program: readonly string[], flags: Flags) => {
      const [file] = program;
      if (file !== undefined) await refuseMissing(file, terminal);
      const made = await withClient(context, async (client) => {
        const asked = await askedBy(client, name, flags, context);
        if (flags.quote) return { quote: await client.quoteCharge(asked) };
        const charged = await client.declareCharge(asked);
        if (program.length > 0 && !flags.gateway) await client.redeemPermit({ permit: charged.permit, key: asked.key });
        return { charged };
      });
      if (made.quote !== undefined) {
        if (!made.quote.fits) endWith(exitCodes.refused);
        return globals().json ? sayJson(terminal, made.quote) : sayFacts(terminal, factsOf(made.quote));
      }
      const { charge, price, permit } = made.charged;
      if (program.length > 0) {
        terminal.err.write(`charged ${costText(price)}, line ${charge.entry.number}: ${charge.id}\n`);
        return endWith(await run(program, { ...terminal.env, DOSIMETER_PERMIT: permit }, terminal.cwd));
      }
      if (globals().json) return sayJson(terminal, made.charged);
      sayFacts(terminal, [
        ["charge", charge.id],
        ["cost", costText(price)],
        ["line", `${charge.entry.number}, ${charge.entry.hash}`],
        ["permit", permit],
      ]);
    });

  stated(
    command
      .command("approve")
      .description("as a second person state the same charge under the same key: then its account's holder may make it")
      .argument("<dataset>", "its name or id"),
  ).action(async (name: string, flags: Flags) => {
    await withClient(context, async (client) => client.approveCharge(await askedBy(client, name, flags, context)));
    sayFacts(terminal, [["approved", flags.key ?? ""]]);
  });

  command
    .command("import")
    .description(
      "count what was published before: CSV or JSON with key, on, where, and epsilon, delta or another price",
    )
    .argument("<dataset>", "its name or id")
    .argument("<file>", ".csv, .json or .yaml")
    .option("--relation <relation>", "of rows that name none: add-or-remove-one or replace-one", "add-or-remove-one")
    .option("--quote", "only say what each row would cost, and whether it fits")
    .action(async (name: string, file: string, flags: { relation: string; quote?: true }) => {
      const { relation, quote: isQuote } = flags;
      const rows = await rowsIn(file, relation, terminal);
      const found = await withClient(context, async (client) => {
        const asked = { ledger: (await findLedger(client, name)).id, rows };
        return isQuote ? { quoted: await client.quoteImport(asked) } : { done: await client.importCharges(asked) };
      });
      if (found.quoted !== undefined) {
        if (globals().json) return sayJson(terminal, found.quoted);
        return sayFacts(terminal, found.quoted.rows.map(outcomeOf));
      }
      const { done } = found;
      if (globals().json) return sayJson(terminal, done);
      sayFacts(terminal, [
        ["counted", String(done.imported)],
        ["known before", String(done.repeated)],
        ...(done.over === null ? [] : [["frozen", done.over] as const]),
      ]);
    });
}

const factsOf = ({ price, why, made }: Awaited<ReturnType<Client["quoteCharge"]>>): Parameters<typeof sayFacts>[1] => [
  ["cost", price === null ? "none: it does not fit" : costText(price)],
  ...(why === undefined ? [] : [[made === null ? "refused" : "made", printable(why)] as const]),
];

type ImportQuote = Awaited<ReturnType<Client["quoteImport"]>>;

const outcomeOf = ({ key, outcome, price, why }: ImportQuote["rows"][number]): readonly [string, string] => [
  printable(key),
  [outcome, price && costText(price), why && printable(why)].filter((part) => part !== null).join(": "),
];

const stated = (command: Command): Command =>
  command
    .option("-a, --account <account>", "who pays: a path or id (default: the only budget that I hold)")
    .requiredOption(
      "--event <event>",
      "one run of a mechanism, 'gaussian noiseMultiplier=1.1 rate=0.01 steps=10000', as JSON, or @file; may come several times",
      collect,
      [],
    )
    .option("--key <key>", "charged once; chunks of one program share what is before a slash: train-7/epoch-3")
    .option("--purpose <text>", "what it is for")
    .option("--tool <name@version>", "what runs: opendp@0.16.0")
    .option(
      "--relation <relation>",
      "which change the events bound: add-or-remove-one or replace-one",
      "add-or-remove-one",
    )
    .option("--rows-per-unit <n>", "the most rows of one person that the events were computed for")
    .option("--delta <delta>", "where the ledger adds up ε: the δ at which that of the events is certified")
    .option("--from <block>", "of a ledger with blocks: the first that it reads, 2024-01")
    .option("--to <block>", "the last one (default: the first)")
    .option("--published <day>", "it ran before: when its results were published")
    .option("--where <place>", "and where");

async function askedBy(
  client: Client,
  name: string,
  flags: Flags,
  { terminal }: Context,
): Promise<Input<"declareCharge">> {
  const { key, purpose, relation, rowsPerUnit, delta, from, to, published, where } = flags;
  if (key === undefined && flags.quote !== true)
    invalid("--key", undefined, "the name of this run: the same one is charged once");
  if (purpose === undefined && flags.quote !== true) invalid("--purpose", undefined, "what it is for");
  if (flags.event.length === 0) invalid("--event", undefined, "one run of a mechanism, or several");
  const events: DpEvent[] = [];
  for (const text of flags.event) events.push(...(await eventsOf(text, terminal)));
  const ledger = await findLedger(client, name);
  const { id: account } = await findAccount(client, ledger.id, flags.account);
  return {
    account,
    dataset: ledger.dataset,
    events: events as Input<"declareCharge">["events"],
    key: key ?? "quote",
    purpose: purpose ?? "quote",
    relation: relation as Input<"declareCharge">["relation"],
    ...present({ delta, from, to, tool: toolOf(flags.tool) }),
    ...present({ rowsPerUnit: rowsPerUnit === undefined ? undefined : wholeNumber("--rows-per-unit", rowsPerUnit) }),
    ...present({ published: published === undefined ? undefined : { on: published, where: where ?? "" } }),
  };
}

function toolOf(text: string | undefined): { name: string; version: string } | undefined {
  if (text === undefined) return undefined;
  const at = text.lastIndexOf("@");
  if (at < 1) invalid("--tool", text, "name@version");
  return { name: text.slice(0, at), version: text.slice(at + 1) };
}

/** A name that is mistyped is refused before anything is charged. */
async function refuseMissing(file: string, { cwd, env }: Context["terminal"]): Promise<void> {
  if (process.platform === "win32") return; // there a program has a name that is not written out
  const folders = file.includes("/") ? [cwd] : (env.PATH ?? "").split(delimiter);
  for (const folder of folders)
    if (
      await access(resolve(folder, file), constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return;
  invalid("program", file, "one that is there and can be run; nothing was charged");
}

/** Runs a program in this terminal; its exit code, or that of a shell for a signal. */
function run([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  return new Promise((done, failed) => {
    const child = spawn(file, args, { stdio: "inherit", env, cwd });
    const ended = onSignals((signal) => void child.kill(signal));
    child.once("error", (error) => {
      ended();
      failed(error);
    });
    child.once("exit", (code, signal) => {
      ended();
      done(code ?? 128 + (signal === null ? 0 : os.signals[signal]));
    });
  });
}

/** As the server takes them; what is wrong with a row is said before anything is sent. */
async function rowsIn(file: string, relation: string, terminal: Context["terminal"]) {
  const text =
    extname(file) === ".csv"
      ? await readFile(resolve(terminal.cwd, file), "utf8")
      : JSON.stringify(await readStructured(file, terminal));
  const rows = readPublications(text, { name: file, relation });
  const wrong = rows.find((row) => row instanceof PrivacyError);
  if (wrong !== undefined) throw wrong;
  return rows as unknown as Input<"importCharges">["rows"];
}
