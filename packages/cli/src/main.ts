import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import type { RunOptions } from "./context.ts";
import { run } from "./program.ts";
import { processTerminal } from "./terminal/terminal.ts";

/** Runs the command line of this process, on its own input and output, and sets its exit code. */
export async function main(options: RunOptions): Promise<void> {
  // A reader may close the pipe early: `dosimeter calc | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  // A busy machine may need more than Node's quarter of a second to see that "localhost" answers. Node would then try
  // the other address family, where no server listens.
  setDefaultAutoSelectFamilyAttemptTimeout(5_000);
  process.exitCode = await run(process.argv.slice(2), processTerminal(), options);
}
