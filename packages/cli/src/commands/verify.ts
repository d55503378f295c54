import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as streamed } from "node:stream/consumers";
import { FITTED, invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { runningInstance } from "@dosimeter/server/running";
import { checkExport, checkPermit } from "@dosimeter/verify";
import type { Command } from "commander";
import { dataFolder, withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson } from "../terminal/output.ts";
import { paint, printable } from "../terminal/terminal.ts";

/** `dosimeter verify [file]`: recomputes every ledger, or one exported ledger by a second, independent reading. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  command
    .argument(
      "[file]",
      "an export of one ledger: checked by code that shares nothing with the ledger's own but the accountant of plans",
    )
    .action((file: string | undefined) => (file === undefined ? verifyLedgerDatabase() : verifyFile(file)));
  command
    .command("permit")
    .description("check the permit of a program outside without its server, which alone knows whether it was used")
    .argument("<file>", "the permit, or - for standard input")
    .option("--signed-by <fingerprint>", "the SHA-256 of the server's key: else it is only said who signed")
    .option("--key <key>", "of the job that shows it")
    .action(verifyPermit);

  async function verifyPermit(file: string, { signedBy, key }: { signedBy?: string; key?: string }): Promise<void> {
    const text = file === "-" ? await streamed(terminal.in) : await textOf(resolve(terminal.cwd, file), file);
    const found = await checkPermit(text, present({ signedBy, key })).catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
      return invalid("file", file, `a permit: ${error.message}`);
    });
    if (!found.ok) endWith(exitCodes.failed);
    if (globals().json) return sayJson(terminal, found);
    const { permit, problems } = found;
    const word = found.ok ? paint(terminal, "green", "ok") : paint(terminal, "red", "not to be accepted");
    say(terminal, `${word}: ${printable(permit.key)}, charged at ${permit.at}, good until ${permit.expiresAt}`);
    for (const problem of problems) say(terminal, `it ${problem}`);
    say(terminal, `${permit.charge} of ledger ${permit.ledger}, line ${permit.entry.number}`);
    say(terminal, `signed by the key ${found.signedBy}`);
  }

  async function verifyLedgerDatabase(): Promise<void> {
    const found = (await verifiedHere(context)) ?? (await withClient(context, (client) => client.verify()));
    if (!found.ok) endWith(exitCodes.failed);
    if (globals().json) return sayJson(terminal, found);
    const { entries, releases, lines } = found;
    const word = found.ok
      ? paint(terminal, "green", "ok")
      : paint(terminal, "red", "this ledger database does not add up");
    say(
      terminal,
      `${word}: ${counted(entries, "ledger line")} replayed, ${counted(releases, "release")} and ${counted(lines, "audit line")} checked`,
    );
    for (const { table, id, problem } of found.problems) say(terminal, `${table} ${id}: ${problem}`);
    say(terminal, `head ${found.head}`);
  }

  async function verifyFile(file: string): Promise<void> {
    const { planAccountant } = await import("@dosimeter/core/derive");
    const text = await textOf(resolve(terminal.cwd, file), file);
    const found = await checkExport(text, { accountant: planAccountant() }).catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
      throw new PrivacyError("INVALID_PARAMETER", { name: "file", got: file }, `${file}: ${error.message}`);
    });
    if (!found.ok) endWith(exitCodes.failed);
    if (globals().json) return sayJson(terminal, found);
    const { ledger, entries, lines, exportedAt, signedBy, derived, takenOver, isFitted, programs } = found;
    const word = found.ok ? paint(terminal, "green", "ok") : paint(terminal, "red", "this ledger does not add up");
    say(
      terminal,
      `${word}: ledger ${ledger} as of ${exportedAt}, ${counted(entries, "line")} replayed, ${counted(lines, "audit line")} linked`,
    );
    if (isFitted) say(terminal, FITTED);
    if (programs.length > 0)
      say(terminal, `it holds provided that ${counted(programs.length, "program")} outside did what was declared:`);
    for (const { name, person, charges, isPublished } of programs)
      say(
        terminal,
        `  ${printable(name)}: ${counted(charges, "charge")}${isPublished ? ", published before" : ""}, ${person} vouches`,
      );
    if (derived > 0)
      say(terminal, `${counted(derived, "charge")} by a price of the whole plan, derived again by its distribution`);
    if (takenOver > 0)
      say(terminal, `${counted(takenOver, "charge")} by a price of the whole plan, not derived again: too much work`);
    for (const { where, problem } of found.problems) say(terminal, `${where}: ${problem}`);
    say(terminal, signedBy === null ? "not signed" : `signed by the key ${signedBy}`);
    say(terminal, `head ${found.head}`);
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The data folder, read without writing anything; null where a server answers for it. */
async function verifiedHere(context: Context) {
  const { terminal, globals } = context;
  const folder = dataFolder(context);
  const url = globals().url ?? terminal.env.DOSIMETER_URL;
  if (url !== undefined || (await runningInstance(folder)) !== null) return null;
  const { readConfiguration, verifyFolder } = await import("@dosimeter/server");
  return verifyFolder({ ...readConfiguration(terminal.env, { cwd: terminal.cwd }), folder });
}

async function textOf(path: string, name: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw error;
    return invalid("file", name, "an export that can be read");
  });
}
