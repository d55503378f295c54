import { resolve } from "node:path";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson } from "../terminal/output.ts";

interface RestoreFlags {
  readonly key: string;
  readonly check?: true;
  readonly replace?: true;
  readonly checkpoint?: string;
  readonly auditStream?: string;
}

/** `dosimeter restore`: proves an archive, puts it in place, and says what its ledgers may have forgotten. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const inJson = globals().json === true;
  const at = (path: string) => resolve(terminal.cwd, path);
  command
    .argument("<archive>", "what dosimeter backup made")
    .requiredOption("--key <file>", "the key of one of its recipients")
    .option("--check", "read all of it and verify its ledger database, and restore nothing")
    .option("--replace", "move what is in the data folder aside")
    .option("--checkpoint <file>", "the newest checkpoint.json, kept elsewhere: says what is missing at least")
    .option("--audit-stream <file>", "what DOSIMETER_AUDIT_STREAM sent: the charges that it knows are missing too")
    .action((archive: string, flags: RestoreFlags) =>
      flags.check ? check(at(archive), flags) : restore(at(archive), flags),
    );

  async function check(archive: string, { key }: RestoreFlags): Promise<void> {
    const { checkBackup, readBackupKey } = await import("@dosimeter/server");
    const { manifest, verification } = await checkBackup({ archive, key: await readBackupKey(at(key)) });
    if (!verification.ok) endWith(exitCodes.failed);
    const { madeAt, files, head } = manifest;
    const { ok, lines, problems } = verification;
    if (inJson) return sayJson(terminal, { ok, madeAt, files: files.length, lines, head, problems });
    say(terminal, `${ok ? "ok" : "does not add up"}: made at ${madeAt}, ${files.length} files, ${lines} audit lines`);
    for (const { table, id, problem } of problems) say(terminal, `${table} ${id}: ${problem}`);
    say(terminal, `head ${head}`);
  }

  async function restore(archive: string, { key, checkpoint, auditStream, ...flags }: RestoreFlags): Promise<void> {
    const { readBackupKey, readConfiguration, restoreBackup } = await import("@dosimeter/server");
    const { manifest, frozen, known, aside } = await restoreBackup({
      ...readConfiguration(terminal.env, { cwd: terminal.cwd }),
      ...flags,
      folder: dataFolder(context),
      archive,
      key: await readBackupKey(at(key)),
      ...(checkpoint === undefined ? {} : { checkpoint: at(checkpoint) }),
      ...(auditStream === undefined ? {} : { auditStream: at(auditStream) }),
      say: (line) => inJson || say(terminal, line),
    });
    const { madeAt, head } = manifest;
    if (inJson) return sayJson(terminal, { madeAt, head, aside, frozen, known });
    say(terminal, `Restored and verified, as of ${madeAt}; head ${head}`);
    if (aside !== null) say(terminal, `What was in the folder is in ${aside}.`);
    for (const { ledger, charges, unpriced } of known)
      say(
        terminal,
        `${ledger}: the audit stream has ${charges} charges that are missing${unpriced === 0 ? "" : `, ${unpriced} of them without what they took of μ²`}`,
      );
    if (frozen.length === 0) return say(terminal, "No ledger is frozen: nothing is known to be missing.");
    say(
      terminal,
      "These ledgers take no charges until what was spent since is written off by two people, by dosimeter ledger reopen:",
    );
    for (const { ledger, reason, missing } of frozen)
      say(
        terminal,
        `${ledger}: ${reason}${missing === null ? "" : `; at least ε ${missing.epsilon}, δ ${missing.delta}`}`,
      );
  }
}
