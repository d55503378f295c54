import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";

/** `dosimeter connection [list] | add | remove`, for admins of the platform. `dosimeter check connection` signs in to one. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the databases whose tables can be declared: of the operator's file, and those that admins added")
    .action(async () => {
      const { items, hosts } = await withClient(context, (client) => client.listConnections());
      if (globals().json) return sayJson(terminal, { items, hosts });
      await sayTable(terminal, items, [
        { heading: "connection", cell: ({ name }) => name },
        { heading: "kind", cell: ({ kind }) => kind },
        { heading: "address", cell: ({ added }) => added?.url ?? "of the operator" },
        { heading: "secret", cell: ({ added }) => added?.secret ?? "" },
        { heading: "added by", cell: ({ added }) => added?.byName ?? "" },
        { heading: "problem", cell: ({ problem }) => problem ?? "" },
      ]);
      if (hosts.length === 0)
        return say(terminal, "The operator lists no hosts in DOSIMETER_CONNECTION_HOSTS: none can be added.");
      await sayTable(terminal, hosts, [
        { heading: "more can be added at", cell: ({ host }) => host },
        { heading: "with the secrets", cell: ({ secrets }) => secrets.join(", ") },
      ]);
    });

  command
    .command("add")
    .description("name a database at a host that the operator allows")
    .argument("<name>", "what declarations call it")
    .argument("<address>", "postgres://role@host:port/database or trino://user@host:port/catalog, without a password")
    .requiredOption(
      "--secret <name>",
      "what the operator calls the password or token, as `dosimeter connection` lists it",
    )
    .action(async (name: string, url: string, { secret }: { readonly secret: string }) => {
      const added = await withClient(context, (client) => client.addConnection({ name, url, secret }));
      if (globals().json) return sayJson(terminal, added);
      say(terminal, `Added ${added.added?.url} as ${name}. To sign in to it: dosimeter check connection ${name}`);
    });

  command
    .command("remove")
    .description("forget a connection that an admin added; one that a dataset is read through stays")
    .argument("<name>", "the connection")
    .action(async (name: string) => {
      await withClient(context, (client) => client.removeConnection({ connection: name }));
      if (!globals().json) say(terminal, "removed");
    });
}
