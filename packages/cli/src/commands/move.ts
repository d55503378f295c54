import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { say, sayJson } from "../terminal/output.ts";

/** `dosimeter move`: from SQLite to PostgreSQL, verified on both sides; the old file is kept and never used again. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .option(
      "--to <url>",
      "postgres://user@host/database, empty (default: $DATABASE_URL, or that of the file of settings)",
    )
    .action(async ({ to }: { to?: string }) => {
      const { moveLedgerDatabase, readConfiguration } = await import("@dosimeter/server");
      const url = to ?? readConfiguration(terminal.env, { cwd: terminal.cwd }).database;
      if (url === undefined) invalid("--to", undefined, "postgres://user@host/database");
      const quiet = globals().json === true;
      const { tables, head } = await moveLedgerDatabase(dataFolder(context), url, (line) => {
        if (!quiet) say(terminal, line);
      });
      if (quiet) return sayJson(terminal, { tables, head });
      say(terminal, `Moved and verified; head ${head}`);
      say(
        terminal,
        "Start the server with DATABASE_URL set. The old file is kept as ledger.moved.sqlite and is never used again.",
      );
    });
}
