import { PassThrough, Readable } from "node:stream";
import { text as streamed } from "node:stream/consumers";
import { run } from "./program.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Runs a command line, and gives its exit code and all that it said. */
export async function said(args: readonly string[], given: Partial<Terminal> = {}) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const both = Promise.all([streamed(out), streamed(err)]);
  const terminal = { in: Readable.from([""]), out, err, isInteractive: false, env: {}, cwd: "/", ...given };
  const code = await run(args, terminal);
  out.end();
  err.end();
  const [saidOut, saidErr] = await both;
  return { code, out: saidOut, err: saidErr };
}
