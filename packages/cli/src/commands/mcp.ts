import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";

/** `dosimeter mcp`: an agent starts it and speaks to it; it asks the server, or the data folder, that the options name. */
export function define(command: Command, context: Context): void {
  const { terminal } = context;
  command.action(async () => {
    const { serveMcpOver } = await import("@dosimeter/server/mcp");
    await withClient(context, (client) => serveMcpOver(client, { input: terminal.in, output: terminal.out }));
  });
}
