import { run } from "./program.ts";
import { processTerminal } from "./terminal.ts";

// A reader that closes the pipe early (`dosimeter calc | head`) has what it wants.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), processTerminal());
