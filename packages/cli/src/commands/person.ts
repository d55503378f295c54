import type { Command } from "commander";
import { withClient } from "../connect.ts";
import { findDataset, findPerson, listOf } from "../find.ts";
import { say, sayJson, sayTable } from "../output.ts";
import type { Context } from "../program.ts";

interface CreateFlags {
  readonly kind?: "user" | "service" | "agent";
  readonly email?: string;
}

interface GrantFlags {
  readonly dataset?: string;
}

/** `dosimeter person list | create | link | grant | remove`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the directory of people, services and agents")
    .action(async () => {
      const people = await withClient(context, (client) => listOf(client.all("listPeople")));
      if (globals().json) return sayJson(terminal, people);
      await sayTable(terminal, people, [
        { heading: "name", cell: ({ name }) => name },
        { heading: "kind", cell: ({ kind }) => kind },
        { heading: "state", cell: ({ removedAt, demo }) => (removedAt !== null ? "removed" : demo ? "demo" : "") },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });

  command
    .command("create")
    .description("add a person, a service or an agent")
    .argument("<name>")
    .option("--kind <kind>", "user (default), service or agent")
    .option("--email <address>", "where mail goes; only platform admins and they see it")
    .action(async (name: string, { kind, email }: CreateFlags) => {
      const person = await withClient(context, (client) =>
        client.createPerson({
          name,
          ...(kind === undefined ? {} : { kind }),
          ...(email === undefined ? {} : { email }),
        }),
      );
      if (globals().json) return sayJson(terminal, person);
      say(terminal, `${person.name}\t${person.id}`);
    });

  command
    .command("link")
    .description("a one-time sign-in link for a person")
    .argument("<person>", "by name or id")
    .action(async (who: string) => {
      const link = await withClient(context, async (client) =>
        client.createSignInLink({ person: (await findPerson(client, who)).id }),
      );
      if (globals().json) return sayJson(terminal, link);
      say(terminal, link.url);
    });

  command
    .command("grant")
    .description("give a person a role: platformAdmin, auditor, or datasetAdmin with --dataset")
    .argument("<person>", "by name or id")
    .argument("<role>", "platformAdmin, auditor or datasetAdmin")
    .option("--dataset <dataset>", "on this dataset rather than on the platform")
    .action(async (who: string, role: "platformAdmin" | "auditor" | "datasetAdmin", flags: GrantFlags) => {
      const granted = await withClient(context, async (client) => {
        const object =
          flags.dataset === undefined
            ? ({ kind: "platform" } as const)
            : ({ kind: "dataset", id: (await findDataset(client, flags.dataset)).id } as const);
        return client.grantRole({ person: (await findPerson(client, who)).id, role, object });
      });
      if (globals().json) return sayJson(terminal, granted);
      say(terminal, `${granted.name}\t${granted.role}\t${granted.object.kind}`);
    });

  command
    .command("remove")
    .description("remove a person: sign-in, tokens and accounts stop, what was spent stays spent")
    .argument("<person>", "by name or id")
    .action(async (who: string) => {
      await withClient(context, async (client) => client.removePerson({ person: (await findPerson(client, who)).id }));
    });
}
