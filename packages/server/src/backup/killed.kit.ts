import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BackupOptions } from "./backup.ts";
import type { RestoreOptions } from "./restore.ts";

/** A restore in a process of its own that ends itself with SIGKILL at `label`. Returns what ended it. */
export const restoreKilledAt = (label: string, options: RestoreOptions): Promise<NodeJS.Signals | null> =>
  killedAt(label, { module: "./restore.ts", run: "restoreBackup", options });

/** The same of a backup. */
export const backupKilledAt = (label: string, options: BackupOptions): Promise<NodeJS.Signals | null> =>
  killedAt(label, { module: "./backup.ts", run: "backUp", options });

async function killedAt(
  label: string,
  { module, run, options }: { readonly module: string; readonly run: string; readonly options: object },
): Promise<NodeJS.Signals | null> {
  const script = `import { ${run} } from "${module}";
    await ${run}({ ...${JSON.stringify(options)},
      step: (label) => { if (label === ${JSON.stringify(label)}) process.kill(process.pid, "SIGKILL"); } });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 100_000, // by SIGTERM
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}
