import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { givenToken, withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { failureOf } from "../exit.ts";
import { printable } from "../terminal/terminal.ts";

/**
 * `dosimeter mcp`: an agent starts it and speaks to it; it asks the server, or the data folder, that the options name. Unlike
 * other commands it demands a token: without one an agent would have the rights of the platform's operator.
 */
export function define(command: Command, context: Context): void {
  const { terminal } = context;
  command.action(async () => {
    if (!(await givenToken(context)))
      invalid("token", undefined, "the agent's own, in DOSIMETER_TOKEN, DOSIMETER_TOKEN_FILE or --token");
    const { serveMcpOver } = await import("@dosimeter/server/mcp");
    const failed = (error: unknown) => {
      const { code, message } = failureOf(error);
      terminal.err.write(`dosimeter: ${printable(message)} [${code}]\n`);
    };
    await withClient(context, (client) => serveMcpOver(client, { input: terminal.in, output: terminal.out, failed }));
  });
}
