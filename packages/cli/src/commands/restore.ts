import { resolve } from "node:path";
import type { Drill, Restored } from "@dosimeter/server";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface RestoreFlags {
  readonly key: string;
  readonly check?: true;
  readonly drill?: true;
  readonly replace?: true;
  readonly checkpoint?: string;
  readonly auditStream?: string;
  readonly to?: string;
}

const inMinutes = (seconds: number): string =>
  seconds < 3600 ? `${Math.ceil(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;

async function until({ to }: Pick<RestoreFlags, "to">) {
  const { parseUntil } = await import("@dosimeter/server");
  return to === undefined ? {} : { until: parseUntil(to) };
}

/** `dosimeter restore`: proves an archive, puts it in place, and says what its ledgers may have forgotten. */
// long: one command with its three ways
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const inJson = globals().json === true;
  const at = (path: string) => resolve(terminal.cwd, path);
  command
    .argument(
      "<archive>",
      "what dosimeter backup made, or the folder or address of DOSIMETER_SHIP; with --drill also a folder of archives, of which the newest is taken",
    )
    .requiredOption("--key <file>", "the key of one of its recipients")
    .option("--check", "read all of it and verify its ledger database, and restore nothing")
    .option("--drill", "restore into a scratch folder, verify, say how old it is and how long it took, and delete it")
    .option("--replace", "move what is in the data folder aside")
    .option("--checkpoint <file>", "the newest checkpoint.json, kept elsewhere: says what is missing at least")
    .option("--audit-stream <file>", "what DOSIMETER_AUDIT_STREAM sent: the charges that it knows are missing too")
    .option("--to <time>", "of such a folder: newest, which is usual, or an instant such as 2026-11-30T04:00:00Z")
    .action(async (archive: string, flags: RestoreFlags) => {
      const { readConfiguration, withPlace } = await import("@dosimeter/server");
      const { shipSecret } = readConfiguration(terminal.env, { cwd: terminal.cwd });
      await withPlace(archive, { secret: shipSecret, at }, (path) =>
        (flags.check ? check : flags.drill ? drill : restore)(path, flags, archive),
      );
    });

  const files = ({ checkpoint, auditStream }: Omit<RestoreFlags, "key">) => ({
    ...(checkpoint === undefined ? {} : { checkpoint: at(checkpoint) }),
    ...(auditStream === undefined ? {} : { auditStream: at(auditStream) }),
  });

  async function drill(path: string, flags: RestoreFlags, asked: string): Promise<void> {
    const { drillRestore, readBackupKey } = await import("@dosimeter/server");
    const key = await readBackupKey(at(flags.key));
    const tried = await drillRestore({
      ...{ ...files(flags), ...(await until(flags)) },
      ...{ folder: dataFolder(context), archive: path, key },
    });
    const found = asked.includes("://") ? { ...tried, archive: asked } : tried;
    if (!found.ok || found.lacking.length > 0) endWith(exitCodes.failed);
    if (inJson) return sayJson(terminal, found);
    sayDrill(terminal, found);
  }

  async function check(archive: string, { key, ...flags }: RestoreFlags): Promise<void> {
    const { checkBackup, readBackupKey } = await import("@dosimeter/server");
    const { manifest, verification, said } = await checkBackup({
      ...(await until(flags)),
      archive,
      key: await readBackupKey(at(key)),
    });
    if (!verification.ok) endWith(exitCodes.failed);
    const { madeAt, files, head } = manifest;
    const { ok, lines, problems } = verification;
    if (inJson) return sayJson(terminal, { ok, madeAt, files: files.length, lines, head, problems, said });
    for (const one of said) say(terminal, one);
    say(terminal, `${ok ? "ok" : "does not add up"}: made at ${madeAt}, ${files.length} files, ${lines} audit lines`);
    for (const { table, id, problem } of problems) say(terminal, `${table} ${id}: ${problem}`);
    say(terminal, `head ${head}`);
  }

  async function restore(archive: string, { key, replace, ...flags }: RestoreFlags): Promise<void> {
    const { readBackupKey, readConfiguration, restoreBackup } = await import("@dosimeter/server");
    const { manifest, said, frozen, known, aside } = await restoreBackup({
      ...readConfiguration(terminal.env, { cwd: terminal.cwd }),
      ...files(flags),
      ...(await until(flags)),
      ...(replace === undefined ? {} : { replace }),
      folder: dataFolder(context),
      archive,
      key: await readBackupKey(at(key)),
      say: (line) => inJson || say(terminal, line),
    });
    const { madeAt, head } = manifest;
    if (inJson) return sayJson(terminal, { madeAt, said, head, aside, frozen, known });
    say(terminal, `Restored and verified, as of ${madeAt}; head ${head}`);
    if (aside !== null) say(terminal, `What was in the folder is in ${aside}.`);
    for (const { ledger, charges, unpriced } of known)
      say(
        terminal,
        `${ledger}: the audit stream has ${charges} charges that are missing${unpriced === 0 ? "" : `, ${unpriced} of them without what they took of μ²`}`,
      );
    sayFrozen(terminal, frozen);
  }
}

function sayDrill(terminal: Terminal, found: Drill): void {
  const { madeAt, files, lines, lacking, problems, ageSeconds, tookSeconds, missingLines, frozen } = found;
  say(terminal, `${found.archive}, made at ${madeAt}: ${files} files, ${lines} audit lines`);
  say(terminal, `${found.ok ? "Restored and verified" : "Does not add up"} in ${tookSeconds.toFixed(1)} seconds.`);
  for (const one of found.said) say(terminal, one);
  for (const { table, id, problem } of problems) say(terminal, `${table} ${id}: ${problem}`);
  for (const id of lacking) say(terminal, `${id}: a dataset reads this upload, and the archive lacks it`);
  const since = missingLines === null ? "no checkpoint says what came since" : `${missingLines} audit lines since then`;
  say(terminal, `A loss now would take the last ${inMinutes(ageSeconds)} (${since}).`);
  sayFrozen(terminal, frozen);
  say(terminal, "The scratch folder is deleted; nothing else was changed.");
}

function sayFrozen(terminal: Terminal, frozen: Restored["frozen"]): void {
  const none = "No ledger is frozen: nothing is known to be missing.";
  const some =
    "These ledgers take no charges until what was spent since is written off by two people, by dosimeter ledger reopen:";
  say(terminal, frozen.length === 0 ? none : some);
  for (const { ledger, reason, missing } of frozen)
    say(
      terminal,
      `${ledger}: ${reason}${missing === null ? "" : `; at least ε ${missing.epsilon}, δ ${missing.delta}`}`,
    );
}
