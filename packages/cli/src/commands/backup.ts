import { resolve } from "node:path";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { say, sayJson } from "../terminal/output.ts";

interface BackupFlags {
  readonly recipient?: readonly string[];
  readonly newKey?: string;
}

/** `dosimeter backup`: one verified, encrypted archive of this data folder, also while its server runs. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const inJson = globals().json === true;
  command
    .argument("[archive]", "the file to make, such as 2026-11-26.age")
    .option("--recipient <age1...>", "whose key can read it; several may be named")
    .option("--new-key <file>", "make a key instead, and print its recipient: keep the file elsewhere")
    .action((archive: string | undefined, flags: BackupFlags) => {
      if ((flags.newKey === undefined) === (archive === undefined))
        invalid("backup", archive, "given an archive to make, or --new-key alone");
      return archive === undefined ? makeKey(flags.newKey ?? "") : make(archive, flags.recipient ?? []);
    });

  async function makeKey(file: string): Promise<void> {
    const { makeBackupKey } = await import("@dosimeter/server");
    const path = resolve(terminal.cwd, file);
    const recipient = await makeBackupKey(path);
    if (inJson) return sayJson(terminal, { path, recipient });
    say(terminal, `The key is in ${path}: keep it away from this machine. Without it no backup can be read.`);
    say(terminal, `Make backups with --recipient ${recipient}`);
  }

  async function make(archive: string, recipients: readonly string[]): Promise<void> {
    const { backUp, readConfiguration } = await import("@dosimeter/server");
    const { head, lines, files } = await backUp({
      ...readConfiguration(terminal.env, { cwd: terminal.cwd }),
      folder: dataFolder(context),
      archive: resolve(terminal.cwd, archive),
      recipients,
      say: (line) => inJson || say(terminal, line),
    });
    if (inJson) return sayJson(terminal, { archive, head, lines, files: files.length });
    say(terminal, `${archive} holds ${files.length} files; its ledger database adds up, with ${lines} audit lines.`);
    say(terminal, `head ${head}`);
    say(terminal, "Prove it where the key is: dosimeter restore <archive> --key <file> --check");
  }
}
