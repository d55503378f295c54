import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findPerson, findTeam, listOf } from "../find.ts";
import { wholeNumber } from "../flags/whole-number.ts";
import { accountColumns } from "../show/columns.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";

interface InviteFlags {
  readonly email?: string;
  readonly admin?: true;
  readonly days?: string;
}

/** `dosimeter team list | create | show | add | remove | role | leave | close | invite | invitations | join | links`. */
export function define(command: Command, context: Context): void {
  defineList(command, context);
  defineCreate(command, context);
  defineShow(command, context);
  defineBudget(command, context);
  defineAdd(command, context);
  defineRole(command, context);
  defineLeave(command, context);
  defineClose(command, context);
  defineInvite(command, context);
  defineInvitations(command, context);
  defineJoin(command, context);
  defineLinks(command, context);
  defineRemove(command, context);
}

function defineList(command: Command, context: Context): void {
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
}

function defineCreate(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("create")
    .description("open a team; its founder is its admin")
    .argument("<name>")
    .action(async (name: string) => {
      const team = await withClient(context, (client) => client.createTeam({ name }));
      if (globals().json) return sayJson(terminal, team);
      say(terminal, `${team.name}\t${team.id}`);
    });
}

function defineShow(command: Command, context: Context): void {
  const { terminal, globals } = context;
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
}

function defineBudget(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("budget")
    .description("the accounts of a team and of its members below it, dataset by dataset")
    .argument("<team>", "its name or id")
    .action(async (name: string) => {
      const accounts = await withClient(context, async (client) =>
        listOf(client.all("listTeamAccounts", { team: (await findTeam(client, name)).id })),
      );
      if (globals().json) return sayJson(terminal, accounts);
      await sayTable(terminal, accounts, [
        { heading: "of", cell: ({ datasetNames }) => datasetNames.join(", ") },
        ...accountColumns,
      ]);
    });
}

function defineAdd(command: Command, context: Context): void {
  const { terminal, globals } = context;
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
}

function defineRole(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("role")
    .description("make a member a team admin, or a team admin a member")
    .argument("<team>", "its name or id")
    .argument("<person>", "by name or id")
    .argument("<role>", "member or teamAdmin")
    .action(async (name: string, who: string, role: "member" | "teamAdmin") => {
      const member = await withClient(context, async (client) => {
        const [team, person] = [await findTeam(client, name), await findPerson(client, who)];
        return client.setMemberRole({ team: team.id, person: person.id, role });
      });
      if (globals().json) return sayJson(terminal, member);
      say(terminal, `${member.name}\t${member.role}`);
    });
}

function defineLeave(command: Command, context: Context): void {
  command
    .command("leave")
    .description("leave a team; what I spent stays spent")
    .argument("<team>", "its name or id")
    .action(async (name: string) => {
      await withClient(context, async (client) => client.leaveTeam({ team: (await findTeam(client, name)).id }));
    });
}

function defineClose(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("close")
    .description("close a team for good: free quota returns to who gave it, what was spent stays")
    .argument("<team>", "its name or id")
    .action(async (name: string) => {
      const team = await withClient(context, async (client) =>
        client.closeTeam({ team: (await findTeam(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, team);
      say(terminal, `${team.name}\tclosed`);
    });
}

function defineInvite(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("invite")
    .description("invite someone, by mail or by a link that works once")
    .argument("<team>", "its name or id")
    .option("--email <address>", "mail it there (default: print a link to hand over)")
    .option("--admin", "as a team admin")
    .option("--days <n>", "days until it ends (default: 7)")
    .action(async (name: string, { email, admin, days }: InviteFlags) => {
      const invitation = await withClient(context, async (client) =>
        client.invite({
          team: (await findTeam(client, name)).id,
          role: admin ? "teamAdmin" : "member",
          ...(email === undefined ? {} : { email }),
          ...(days === undefined ? {} : { days: wholeNumber("--days", days) }),
        }),
      );
      if (globals().json) return sayJson(terminal, invitation);
      say(terminal, invitation.url ?? `mailed to ${invitation.email}`);
    });
}

function defineInvitations(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("invitations")
    .description("invitations that still let someone in; with --end one is taken back")
    .argument("<team>", "its name or id")
    .option("--end <invitation>", "take this one back")
    .action(async (name: string, flags: { end?: string }) => {
      const open = await withClient(context, async (client) => {
        const { id: team } = await findTeam(client, name);
        if (flags.end !== undefined) await client.endInvitation({ team, invitation: flags.end });
        return listOf(client.all("listInvitations", { team }));
      });
      if (globals().json) return sayJson(terminal, open);
      await sayTable(terminal, open, [
        { heading: "for", cell: ({ email }) => email ?? "the holder of the link" },
        { heading: "as", cell: ({ role }) => role },
        { heading: "by", cell: ({ by }) => by },
        { heading: "until", cell: ({ expiresAt }) => expiresAt },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

function defineJoin(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("join")
    .description("join the team that an invitation is for")
    .argument("<link>", "the link, or its secret part")
    .action(async (link: string) => {
      const secret = link.slice(link.indexOf("#") + 1);
      const team = await withClient(context, (client) => client.acceptInvitation({ secret }));
      if (globals().json) return sayJson(terminal, team);
      say(terminal, `${team.name}\t${team.myRole ?? ""}`);
    });
}

function defineLinks(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("links")
    .description(
      "whom invitation links let in: known (people with an account here) or newcomers too; holds for old links",
    )
    .argument("<team>", "its name or id")
    .argument("[whom]", "known or newcomers (default: say what holds)")
    .action(async (name: string, whom?: "known" | "newcomers") => {
      const { linksAdmit } = await withClient(context, async (client) => {
        const { id: team } = await findTeam(client, name);
        return whom === undefined ? client.showTeam({ team }) : client.setTeam({ team, linksAdmit: whom });
      });
      if (globals().json) return sayJson(terminal, { linksAdmit });
      say(terminal, linksAdmit);
    });
}

function defineRemove(command: Command, context: Context): void {
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
