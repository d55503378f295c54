import { invalid } from "@dosimeter/core";
import { choiceOf } from "@dosimeter/core/internal";
import type { Command } from "commander";
import { scripts } from "../completion/scripts.ts";
import { linesOf } from "../completion/tree.ts";
import type { Context } from "../context.ts";

/** `dosimeter completion bash`: a script for the shell, with every command, option and closed set of values. */
export function define(command: Command, { terminal, whole }: Context): void {
  command.argument("[shell]", "bash, zsh or fish").action(async (shell?: string) => {
    if (shell === undefined || !Object.hasOwn(scripts, shell))
      invalid("shell", shell, choiceOf(shell, Object.keys(scripts)));
    terminal.out.write(scripts[shell as keyof typeof scripts](linesOf(await whole())));
  });
}
