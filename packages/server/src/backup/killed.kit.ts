import { spawn } from "node:child_process";
import { once } from "node:events";
import type { RestoreOptions } from "./restore.ts";

/** A restore in a process of its own that ends itself with SIGKILL at `label`. Returns what ended it. */
export async function restoreKilledAt(label: string, options: RestoreOptions): Promise<NodeJS.Signals | null> {
  const script = `import { restoreBackup } from "./restore.ts";
    await restoreBackup({ ...${JSON.stringify(options)},
      step: (label) => { if (label === ${JSON.stringify(label)}) process.kill(process.pid, "SIGKILL"); } });`;
  const child = spawn(process.execPath, ["--conditions=@dosimeter/source", "--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 100_000, // by SIGTERM
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}
