import type { Command } from "commander";
import type { Context } from "../context.ts";
import { findLedger } from "../find.ts";
import { reportCommand } from "../show/report.ts";

/** `dosimeter ledger report`; the others are derived from the routes. */
export function define(command: Command, context: Context): void {
  reportCommand(
    command
      .command("report")
      .description("what was promised and spent, with every accountant side by side over time")
      .argument("<dataset>", "its name or id"),
    context,
    async (client, [dataset = ""], options) =>
      client.reportLedger({ ledger: (await findLedger(client, dataset)).id, ...options }),
  );
}
