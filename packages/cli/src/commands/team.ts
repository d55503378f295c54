import type { Command } from "commander";
import { withClient } from "../connect.ts";
import { findPerson, findTeam, listOf } from "../find.ts";
import { say, sayJson, sayTable } from "../output.ts";
import type { Context } from "../program.ts";

/** `dosimeter team list | create | show | add | remove`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the teams that I can see")
    .action(async () => {
      const teams = await withClient(context, (client) => listOf(client.all("listTeams")));
      if (globals().json) return sayJson(terminal, teams);
      await sayTable(terminal, teams, [
        { heading: "team", cell: ({ name }) => name },
        { heading: "my role", cell: ({ myRole }) => myRole ?? "" },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });

  command
    .command("create")
    .description("open a team; whoever opens it is its admin")
    .argument("<name>")
    .action(async (name: string) => {
      const team = await withClient(context, (client) => client.createTeam({ name }));
      if (globals().json) return sayJson(terminal, team);
      say(terminal, `${team.name}\t${team.id}`);
    });

  command
    .command("show")
    .description("a team with its members")
    .argument("<team>", "its name or id")
    .action(async (name: string) => {
      const team = await withClient(context, async (client) =>
        client.showTeam({ team: (await findTeam(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, team);
      await sayTable(terminal, team.members, [
        { heading: "member", cell: ({ name: member }) => member },
        { heading: "role", cell: ({ role }) => role },
        { heading: "since", cell: ({ since }) => since },
        { heading: "id", cell: ({ person }) => person },
      ]);
    });

  command
    .command("add")
    .description("add a person to a team")
    .argument("<team>", "its name or id")
    .argument("<person>", "by name or id")
    .option("--admin", "as a team admin, who gives the team's quota to its members")
    .action(async (name: string, who: string, flags: { admin?: true }) => {
      const member = await withClient(context, async (client) => {
        const [team, person] = [await findTeam(client, name), await findPerson(client, who)];
        return client.addMember({ team: team.id, person: person.id, role: flags.admin ? "teamAdmin" : "member" });
      });
      if (globals().json) return sayJson(terminal, member);
      say(terminal, `${member.name}\t${member.role}`);
    });

  command
    .command("remove")
    .description("remove a person from a team; what they spent stays spent")
    .argument("<team>", "its name or id")
    .argument("<person>", "by name or id")
    .action(async (name: string, who: string) => {
      await withClient(context, async (client) => {
        const [team, person] = [await findTeam(client, name), await findPerson(client, who)];
        await client.removeMember({ team: team.id, person: person.id });
      });
    });
}
