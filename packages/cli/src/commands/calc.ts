import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { answerLines, listCalcFunctions } from "../calc/filter.ts";
import type { Context } from "../context.ts";

/** `dosimeter calc`: the mathematics as a filter, JSON Lines in and out. */
export function define(command: Command, { terminal }: Context): void {
  command
    .option("--list", "print each function with its arguments, one JSON object a line")
    .addHelpText(
      "after",
      '\nOne call a line: {"id":1,"fn":"accuracy","statistic":"count","epsilon":0.5}\n' +
        'Each is answered by {"id":1,"value":…} or\n  {"id":1,"error":{"code":…,"message":…}}.',
    )
    .action(async (options: { list?: true }) => {
      if (options.list) {
        terminal.out.write(`${listCalcFunctions().join("\n")}\n`);
        return;
      }
      terminal.in.setEncoding("utf8");
      await pipeline(terminal.in, answerLines, terminal.out, { end: false });
    });
}
