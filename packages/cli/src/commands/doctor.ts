import { invalid } from "@dosimeter/core";
import { choiceOf } from "@dosimeter/core/internal";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { addSettings, originsOf } from "../flags/settings.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";

/** `dosimeter doctor`: tries everything that a server needs, here and on the network, and names every fault with its mend. */
export function define(command: Command, context: Context): void {
  addSettings(command, context.terminal);
  command.option("--offline", "try nothing on the network");
  command.argument("[code]", "explain this code of the log, and try nothing");
  command.action(async (code: string | undefined, { config, offline }: { config?: string; offline?: true }) => {
    if (code === undefined) await diagnose(command, context, { config, isConnecting: offline !== true });
    else await explain(code, context);
  });
}

/** What a line of the server's log means, and what to do. */
async function explain(code: string, { terminal, globals }: Context): Promise<void> {
  const { logCodes } = await import("@dosimeter/server");
  const row = (logCodes as Readonly<Record<string, readonly [string, string]>>)[code];
  if (row === undefined) return invalid("code", code, choiceOf(code, Object.keys(logCodes)));
  const [says, mend] = row;
  if (globals().json) return sayJson(terminal, { code, says, mend });
  say(terminal, `${says}: ${mend}`);
}

/** Prints what is set where, what is wrong and what to paste elsewhere. Exit 2 for a wrong setting, 1 for what does not work. */
export async function diagnose(
  command: Command,
  context: Context,
  { config, isConnecting }: { readonly config: string | undefined; readonly isConnecting: boolean },
): Promise<void> {
  const { terminal, globals, endWith } = context;
  const server = await import("@dosimeter/server");
  const origins = originsOf(command, terminal, config);
  const found = await server.diagnose(dataFolder(context), origins, { isConnecting });
  const { set, problems, findings, elsewhere } = found;
  const faults = findings.filter(({ problem, isAdvice }) => problem !== null && isAdvice !== true);
  if (problems.length > 0) endWith(exitCodes.wrongUse);
  else if (faults.length > 0) endWith(exitCodes.failed);
  if (globals().json) return sayJson(terminal, found);
  await sayTable(terminal, set, [
    { heading: "setting", cell: ({ name }) => name },
    { heading: "from", cell: ({ from }) => from },
  ]);
  for (const problem of problems) say(terminal, `wrong   ${problem}`);
  for (const finding of findings) {
    const { problem, isAdvice } = finding;
    say(terminal, `${problem === null ? "ok     " : isAdvice ? "advice " : "fault  "} ${server.sentenceOf(finding)}`);
  }
  for (const { where, text } of elsewhere) say(terminal, `\n${where}:\n${text.replaceAll(/^/gm, "  ")}`);
}
