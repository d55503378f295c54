import type { Command } from "commander";
import { withClient } from "../connect.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson } from "../output.ts";
import type { Context } from "../program.ts";
import { paint } from "../terminal.ts";

/** `dosimeter verify`: recomputes every ledger; books that do not add up end with code 1. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  command.action(async () => {
    const found = await withClient(context, (client) => client.verify());
    if (!found.ok) endWith(exitCodes.failed);
    if (globals().json) return sayJson(terminal, found);
    const { entries, releases, lines } = found;
    const word = found.ok ? paint(terminal, "green", "ok") : paint(terminal, "red", "these books do not add up");
    say(terminal, `${word}: ${entries} ledger lines replayed, ${releases} releases and ${lines} audit lines checked`);
    for (const { table, id, problem } of found.problems) say(terminal, `${table} ${id}: ${problem}`);
    say(terminal, `head ${found.head}`);
  });
}
