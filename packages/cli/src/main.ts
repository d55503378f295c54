import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { run } from "./program.ts";
import { processTerminal } from "./terminal/terminal.ts";

// A reader that closes the pipe early (`dosimeter calc | head`) has what it wants.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

// A busy machine may take longer than Node's quarter of a second to see that "localhost" has answered, and would then try
// the other address family, where nobody listens.
setDefaultAutoSelectFamilyAttemptTimeout(5_000);

process.exitCode = await run(process.argv.slice(2), processTerminal());
