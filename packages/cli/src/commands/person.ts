import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, findPerson, listOf } from "../find.ts";
import { needsAnOption } from "../flags/needs-option.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { defineNews } from "./person-news.ts";

interface CreateFlags {
  readonly kind?: "user" | "service" | "agent";
  readonly for?: string;
  readonly email?: string;
}

interface SetFlags {
  readonly name?: string;
  readonly email?: string;
}

interface GrantFlags {
  readonly dataset?: string;
}

/** `dosimeter person list | me | create | set | link | grant | roles | revoke | remove | restore | erase | sessions | password | notifications | find | notify | activity | audit | second-factor`. */
export function define(command: Command, context: Context): void {
  defineNews(command, context);
  defineList(command, context);
  defineMe(command, context);
  defineCreate(command, context);
  defineLink(command, context);
  defineGrant(command, context);
  defineRoles(command, context);
  defineRevoke(command, context);
  defineSessions(command, context);
  definePassword(command, context);
  defineNotifications(command, context);
  defineFind(command, context);
  defineSet(command, context);
  defineRemove(command, context);
  defineRestore(command, context);
  defineErase(command, context);
  defineSecondFactor(command, context);
}

function defineErase(command: Command, context: Context): void {
  command
    .command("erase")
    .description("take the name and address of a removed person away for good; what they spent stays")
    .argument("<person>", "by name or id")
    .action(async (who: string) => {
      await withClient(context, async (client) => client.erasePerson({ person: (await findPerson(client, who)).id }));
    });
}

/** For the person who keeps the operator's token: an admin who lost the phone gets in again with the password. */
function defineSecondFactor(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("second-factor")
    .description("whether my password needs a second factor; with --end that of a person who lost theirs is ended")
    .option("--end <person>", "end that of this person, by name or id")
    .option("--reason <text>", "why, for the audit; with --end")
    .action(async ({ end, reason }: { end?: string; reason?: string }) => {
      if ((end === undefined) !== (reason === undefined)) invalid("--reason", reason, "given, with --end");
      if (end !== undefined && reason !== undefined) {
        await withClient(context, async (client) =>
          client.removeSecondFactor({ person: (await findPerson(client, end)).id, reason }),
        );
        return;
      }
      const factor = await withClient(context, (client) => client.showSecondFactor());
      if (globals().json) return sayJson(terminal, factor);
      sayFacts(terminal, [
        ["since", factor.since ?? "none"],
        ["recovery codes left", String(factor.recoveryLeft)],
        ["the server asks for one", factor.required ? "yes" : "no"],
      ]);
    });
}

function defineList(command: Command, context: Context): void {
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
}

function defineMe(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("me")
    .description("who asks: my name, address, roles, and what this token may do")
    .action(async () => {
      const me = await withClient(context, (client) => client.me());
      if (globals().json) return sayJson(terminal, me);
      const roles = me.roles.map(({ role, objectName }) => (objectName === null ? role : `${role} of ${objectName}`));
      sayFacts(terminal, [
        ["name", me.person.name],
        ["id", me.person.id],
        ["e-mail", me.person.email ?? "none"],
        ["roles", roles.length === 0 ? "none" : roles.join(", ")],
        ["may", me.scopes.join(", ")],
      ]);
    });
}

function defineCreate(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("create")
    .description("add a person, a service or an agent")
    .argument("<name>")
    .option("--kind <kind>", "user (default), service or agent")
    .option("--for <person>", "whom a service or an agent acts for, by name or id (default: you)")
    .option("--email <address>", "where mail goes; only platform admins and they see it")
    .action(async (name: string, { kind, for: behind, email }: CreateFlags) => {
      const person = await withClient(context, async (client) => {
        if ((kind ?? "user") === "user" && (await client.health()).demo)
          terminal.err.write("This ends the demo: with a real person here, its people cannot sign in any more.\n");
        return client.createPerson({
          name,
          ...(kind === undefined ? {} : { kind }),
          ...(behind === undefined ? {} : { onBehalfOf: (await findPerson(client, behind)).id }),
          ...(email === undefined ? {} : { email }),
        });
      });
      if (globals().json) return sayJson(terminal, person);
      say(terminal, `${person.name}\t${person.id}`);
    });
}

function defineLink(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("link")
    .description("a one-time sign-in link for a person; with --password one by which they set a new password")
    .argument("<person>", "by name or id")
    .option("--password", "for who lost theirs: mailed to them where the server sends mail, else printed")
    .action(async (who: string, flags: { password?: boolean }) => {
      const link = await withClient(context, async (client) => {
        const { id: person } = await findPerson(client, who);
        return flags.password === true ? client.createPasswordLink({ person }) : client.createSignInLink({ person });
      });
      if (globals().json) return sayJson(terminal, link);
      say(terminal, link.url ?? `mailed to ${link.name}`);
    });
}

function defineGrant(command: Command, context: Context): void {
  const { terminal, globals } = context;
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
}

function defineRoles(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("roles")
    .description("every role in force: who, on what, which")
    .action(async () => {
      const roles = await withClient(context, (client) => listOf(client.all("listRoles")));
      if (globals().json) return sayJson(terminal, roles);
      await sayTable(terminal, roles, [
        { heading: "who", cell: ({ name }) => name },
        { heading: "role", cell: ({ role }) => role },
        { heading: "on", cell: ({ object }) => object.id ?? object.kind },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

function defineRevoke(command: Command, context: Context): void {
  command
    .command("revoke")
    .description("take a role away again")
    .argument("<role>", "its id, as `person roles` lists it")
    .action(async (role: string) => {
      await withClient(context, (client) => client.revokeRole({ role }));
    });
}

function defineSessions(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("sessions")
    .description("the browsers I am signed in with; with --end one is signed out")
    .option("--end <session>", "sign this one out")
    .action(async (flags: { end?: string }) => {
      const sessions = await withClient(context, async (client) => {
        if (flags.end !== undefined) await client.revokeSession({ session: flags.end });
        return listOf(client.all("listSessions"));
      });
      if (globals().json) return sayJson(terminal, sessions);
      await sayTable(terminal, sessions, [
        { heading: "how", cell: ({ name }) => name },
        { heading: "since", cell: ({ createdAt }) => createdAt },
        { heading: "until", cell: ({ expiresAt }) => expiresAt },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

function definePassword(command: Command, context: Context): void {
  const { terminal } = context;
  command
    .command("password")
    .description("set my password, read from $DOSIMETER_NEW_PASSWORD; the one now from $DOSIMETER_PASSWORD")
    .action(async () => {
      const { DOSIMETER_NEW_PASSWORD: password, DOSIMETER_PASSWORD: current } = terminal.env;
      if (!password) invalid("DOSIMETER_NEW_PASSWORD", undefined, "set in the environment");
      await withClient(context, (client) =>
        client.setPassword({ password, ...(current === undefined ? {} : { current }) }),
      );
    });
}

function defineNotifications(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("notifications")
    .alias("told")
    .description("my notifications, newest first; with --read all are marked as read")
    .option("--read", "mark all as read")
    .action(async (flags: { read?: true }) => {
      const notifications = await withClient(context, async (client) => {
        const list = await listOf(client.all("listNotifications"));
        if (flags.read) await client.readNotifications({});
        return list;
      });
      if (globals().json) return sayJson(terminal, notifications);
      await sayTable(terminal, notifications, [
        { heading: "when", cell: ({ createdAt }) => createdAt },
        { heading: "", cell: ({ readAt }) => (readAt === null ? "new" : "") },
        { heading: "what", cell: ({ title }) => title },
        { heading: "more", cell: ({ text }) => text },
      ]);
    });
}

function defineFind(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("find")
    .description("datasets, teams, people, releases and requests that I can see, by a part of a name or an id")
    .argument("<text>")
    .action(async (text: string) => {
      const { items } = await withClient(context, (client) => client.search({ text }));
      if (globals().json) return sayJson(terminal, items);
      await sayTable(terminal, items, [
        { heading: "name", cell: ({ name }) => name },
        { heading: "what", cell: ({ hint }) => hint },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

function defineSet(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("set")
    .description("another name or address for a person")
    .argument("<person>", "by name or id")
    .option("--name <name>", "what they are called from now on")
    .option("--email <address>", "where mail goes and what they sign in with; none takes it away")
    .hook("preAction", needsAnOption)
    .action(async (who: string, { name, email }: SetFlags) => {
      const person = await withClient(context, async (client) =>
        client.setPerson({
          person: (await findPerson(client, who)).id,
          ...(name === undefined ? {} : { name }),
          ...(email === undefined ? {} : { email: email === "none" ? null : email }),
        }),
      );
      if (globals().json) return sayJson(terminal, person);
      say(terminal, `${person.name}\t${person.email ?? "no address"}\t${person.id}`);
    });
}

function defineRemove(command: Command, context: Context): void {
  command
    .command("remove")
    .description("remove a person: sign-in, tokens and accounts stop, what was spent stays spent")
    .argument("<person>", "by name or id")
    .action(async (who: string) => {
      await withClient(context, async (client) => client.removePerson({ person: (await findPerson(client, who)).id }));
    });
}

function defineRestore(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("restore")
    .description("let a removed person back in: the same history; roles, teams and accounts are given again")
    .argument("<person>", "by name or id")
    .action(async (who: string) => {
      const person = await withClient(context, async (client) =>
        client.restorePerson({ person: (await findPerson(client, who)).id }),
      );
      if (globals().json) return sayJson(terminal, person);
      say(terminal, `${person.name}\t${person.id}`);
    });
}
