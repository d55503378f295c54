import type { Command } from "commander";
import type { Context } from "../context.ts";
import { findAccount, findLedger } from "../find.ts";
import { reportCommand } from "../show/report.ts";

/** `dosimeter account report`; the others are derived from the routes. */
export function define(command: Command, context: Context): void {
  reportCommand(
    command
      .command("report")
      .description("the same reports for one budget, as if it shared nothing, and how much more would fit")
      .argument("<dataset>", "its name or id")
      .argument("[account]", "its path or id (default: the one you spend from)"),
    context,
    async (client, [dataset = "", account], options) =>
      client.reportAccount({
        account: (await findAccount(client, (await findLedger(client, dataset)).id, account)).id,
        ...options,
      }),
  );
}
