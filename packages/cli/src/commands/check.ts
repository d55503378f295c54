import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson } from "../terminal/output.ts";
import { printable } from "../terminal/terminal.ts";

/** `dosimeter check mail | provider | connection`: asks the server that runs whether it can send mail, let people in by a provider, and read a database. */
export function define(command: Command, context: Context): void {
  const { terminal, globals, endWith } = context;
  const report = ({ problem }: { readonly problem: string | null }): void => {
    if (problem !== null) endWith(exitCodes.failed);
    if (globals().json) sayJson(terminal, { problem });
    else say(terminal, problem ?? "It works.");
  };
  command
    .command("mail")
    .description("send a letter to the address of who asks, which must be an admin of the platform")
    .action(async () => report(await withClient(context, (client) => client.testMail())));

  command
    .command("provider")
    .description("address, certificate, issuer, clock, client and secret of a provider, without signing in")
    .argument("<provider>", "its id in DOSIMETER_OIDC")
    .action(async (provider: string) =>
      report(await withClient(context, (client) => client.testProvider({ provider }))),
    );

  command
    .command("connection")
    .description("sign in to a database whose tables can be declared, and list its schemas")
    .argument("<connection>", "its name")
    .action(async (connection: string) => {
      const { problem, schemas } = await withClient(context, (client) => client.testConnection({ connection }));
      if (problem !== null) return report({ problem });
      if (globals().json) return sayJson(terminal, { problem, schemas });
      const seen = schemas.length === 0 ? "no schema" : printable(schemas.join(", "));
      say(terminal, `${connection} works. Its role sees ${seen}.`);
      say(terminal, "Whether it may read a table, and only read it, is checked when the table is declared.");
    });
}
