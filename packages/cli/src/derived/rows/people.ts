import type { NotificationSettings } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { listOf } from "../../find.ts";
import { accountsOfAll, type Given, type Rows, type Scene } from "../row.ts";

const IN_A_BROWSER = "a command comes with a token";
const ITS_PAGE = "an app is set up where its picture is: on the page of settings";
const lineColumns = ["when=at", "who=actorName", "what=action", "on=subjectName", "id=subject"];
const works = ({ problem }: { readonly problem: string | null }): string => problem ?? "It works.";
const isBroken = ({ problem }: { readonly problem: string | null }): boolean => problem !== null;
const newPerson = ({ name, id }: { readonly name: string; readonly id: string }): string => `${name}\t${id}`;
const platform = (dataset: unknown) =>
  dataset === undefined ? { kind: "platform" as const } : { kind: "dataset" as const, id: String(dataset) };

/** People, teams, tokens, agents, and the server itself. */
export const peopleRows = {
  health: { command: "check server" },
  ready: { without: "for balancers" },
  testMail: {
    command: "check mail",
    summary: "send a letter to the address of who asks, which must be an admin of the platform",
    says: works,
    fails: isBroken,
  },
  diagnose: {
    command: "check needs",
    summary: "what `dosimeter doctor` tries, from the running server; by admins of the platform",
    fails: ({ problems, findings }) =>
      problems.length > 0 || findings.some(({ problem, isAdvice }) => problem !== null && isAdvice !== true),
    says: ({ problems, findings }) =>
      [...problems, ...findings.flatMap(({ what, problem }) => (problem === null ? [] : [`${what}: ${problem}`]))].join(
        "\n",
      ) || "Everything works.",
  },
  testConnection: {
    command: "check connection",
    summary: "sign in to a database whose tables can be declared, and list its schemas",
    fails: isBroken,
    says: ({ problem, schemas }, { connection }) =>
      problem ?? `${connection} works. Its role sees ${schemas.length === 0 ? "no schema" : schemas.join(", ")}.`,
    after: ({ problem }) =>
      problem === null ? "Whether it may read a table, and only read it, is checked when the table is declared." : null,
  },
  listSecrets: {
    command: "rotate list",
    columns: ["secret=name", "last replaced=replacedAt", "servers", "to replace it=command"],
  },
  createProviderToken: {
    command: "token scim",
    summary: "a token with which a provider keeps its people and groups here; the secret is printed this once",
    says: ({ url, secret }) => `${url}\n${secret}`,
  },
  search: { command: "person find", args: ["text"], columns: ["name", "what=hint", "id"] },

  showSession: { without: IN_A_BROWSER },
  signIn: { without: IN_A_BROWSER },
  resetPassword: { without: "on the page that the link opens, which only its person sees" },
  signOut: { by: "token create" },
  createFirstAdmin: { without: "dosimeter person create and dosimeter person grant do it with the operator's token" },
  continueAs: { without: "for browsers of a demo" },
  viewAs: { without: "for browsers of a demo" },
  me: {
    command: "person me",
    summary: "who asks: my name, address, roles, and what this token may do",
    columns: ["name=person.name", "id=person.id", "e-mail=person.email", "may=scopes"],
    tables: { roles: ["role", "on=objectName"] },
  },
  createDemoLinks: { by: "demo links" },
  signInWays: { without: IN_A_BROWSER },
  requestSignInLink: { without: IN_A_BROWSER },

  listPeople: {
    command: "person list",
    summary: "the directory of people, services and agents",
    columns: ["name", "kind", "removed=removedAt", "demo", "id"],
  },
  createPerson: {
    command: "person create",
    args: ["name"],
    flags: { onBehalfOf: "for" },
    says: newPerson,
    warns: async ({ kind = "user" }, { client }) =>
      kind === "user" && (await client.health()).demo
        ? "This ends the demo: with a real person here, its people cannot sign in any more."
        : null,
  },
  showPerson: { command: "person show" },
  setPerson: { command: "person set", summary: "another name or address for a person" },
  removePerson: { command: "person remove", asks: "Sign-in, tokens and budgets of this person stop." },
  restorePerson: { command: "person restore", says: newPerson },
  erasePerson: { command: "person erase", asks: "Their name and address are gone for good.", says: newPerson },
  createSignInLink: { command: "person link", says: ({ url }) => url },
  createPasswordLink: {
    command: "person link",
    flag: "password",
    summary: "by which they set a new password: mailed to them where the server sends mail, else printed",
    says: ({ url, name }) => url ?? `mailed to ${name}`,
  },
  listRoles: { command: "person roles", columns: ["who=name", "role", "on=object.kind", "of=object.id", "id"] },
  grantRole: {
    command: "person grant",
    summary: "give a person a role: platformAdmin, auditor, or datasetAdmin with --dataset",
    args: ["person", "role"],
    flags: { objectKind: null, objectId: null },
    more: { "--dataset <dataset>": "on this dataset rather than on the platform" },
    build: async ({ person, role, dataset }) => ({
      person: String(person),
      role: role as "auditor",
      object: platform(dataset),
    }),
    says: ({ name, role, object }) => `${name}\t${role}\t${object.kind}`,
  },
  revokeRole: { command: "person revoke" },

  listTokens: {
    command: "token list",
    summary: "my tokens, or those of a service or an agent: names, scopes, expiry; never the secret",
    columns: ["name", "scopes", "expires=expiresAt", "revoked=endedAt", "id"],
  },
  listServiceTokens: {
    command: "token list",
    args: [],
    columns: ["name", "scopes", "expires=expiresAt", "revoked=endedAt", "id"],
  },
  createToken: { by: "token create" },
  createServiceToken: { by: "token create" },
  revokeToken: { command: "token revoke", summary: "end a token and everything that it made" },
  revokeServiceToken: { command: "token revoke", args: ["token"] },
  listSessions: {
    command: "person sessions",
    summary: "the browsers I am signed in with; with --end one is signed out",
    columns: ["how=name", "since=createdAt", "until=expiresAt", "id"],
  },
  revokeSession: {
    command: "person sessions",
    args: [],
    flags: { session: "end" },
    helps: { session: "sign this one out" },
  },
  setPassword: {
    command: "person password",
    summary: "set my password, read from $DOSIMETER_NEW_PASSWORD; the one now from $DOSIMETER_PASSWORD",
    env: { password: "DOSIMETER_NEW_PASSWORD", current: "DOSIMETER_PASSWORD" },
  },

  listAgents: {
    command: "agent list",
    columns: [
      ...["name", "ε an hour=hourEpsilon", "this hour=spentThisHour", "click above=confirmAbove"],
      ...["waiting", "removed=removedAt", "id"],
    ],
  },
  setAgentLimits: {
    command: "agent limit",
    summary: "what an agent may spend by itself (platform admins; its person does it in a browser)",
    helps: {
      hourEpsilon: "the most within any hour, or none",
      confirmAbove: "a release that costs more waits for a click of its person, or none",
    },
  },
  moveShare: {
    command: "agent give",
    summary: "give an agent of mine some of my own budget, to the one that stands next to it",
    args: ["agent", "epsilon"],
    flags: { from: null, to: null },
    finds: { agent: null, dataset: null },
    more: {
      "--dataset <name>": "whose budget, where the agent has several",
      "--back": "take back what I gave and it did not spend",
    },
    build: shareMove,
    columns: ["name", "id"],
    tables: { shares: ["of=datasetNames", "given", "it has left=free", "I have left=ownFree"] },
  },
  removeAgent: { command: "agent remove", asks: "Its tokens and budgets stop." },
  showMcpClient: { without: "a browser asks for it" },
  letMcpClientIn: { without: "a person decides in a browser, and nowhere else" },
  showConfirmation: { without: "a command sends the release again, with its key" },
  decideConfirmation: { without: "a person decides in a browser, and nowhere else" },

  showSecondFactor: {
    command: "person second-factor",
    summary: "whether my password needs a second factor; with --end that of a person who lost theirs is ended",
  },
  removeSecondFactor: {
    command: "person second-factor",
    args: [],
    flags: { person: "end" },
    helps: { person: "end that of this person, by name or id" },
  },
  beginSecondFactor: { without: ITS_PAGE },
  confirmSecondFactor: { without: ITS_PAGE },
  endSecondFactor: { without: "on the page of settings; person second-factor --end is for who lost theirs" },
  startSecondFactor: { without: IN_A_BROWSER },

  listTeams: { command: "team list", columns: ["team=name", "my role=myRole", "closed=closedAt", "id"] },
  createTeam: { command: "team create", args: ["name"], says: newPerson },
  showTeam: {
    command: "team show",
    columns: ["team=name", "id", "my role=myRole", "links let in=linksAdmit", "closed=closedAt"],
    tables: { members: ["member=name", "role", "since", "until", "id=person"] },
  },
  addMember: { command: "team add", args: ["team", "person"], says: ({ name, role }) => `${name}\t${role}` },
  removeMember: { command: "team remove" },
  setMemberRole: {
    command: "team role",
    args: ["team", "person", "role"],
    says: ({ name, role }) => `${name}\t${role}`,
  },
  leaveTeam: { command: "team leave" },
  setTeam: {
    command: "team links",
    summary: "whom invitation links let in: known (people who are here) or newcomers too; holds for old links",
    args: ["team", "linksAdmit"],
    helps: { linksAdmit: "whom they let in" },
    says: ({ linksAdmit }) => linksAdmit,
  },
  closeTeam: {
    command: "team close",
    asks: "Its budgets close for good.",
    says: ({ name }) => `${name}\tclosed`,
  },
  listTeamAccounts: { command: "team budget", columns: accountsOfAll },
  listInvitations: {
    command: "team invitations",
    summary: "invitations that still let someone in; with --end one is taken back",
    columns: ["for=email", "as=role", "by", "until=expiresAt", "id"],
  },
  invite: { command: "team invite", says: ({ url, email }) => url ?? `mailed to ${email}` },
  endInvitation: {
    command: "team invitations",
    args: ["team"],
    flags: { invitation: "end" },
    helps: { invitation: "take this one back" },
  },
  showInvitation: { without: "a command joins with team join, which says the team" },
  acceptInvitation: {
    command: "team join",
    summary: "join the team that an invitation is for, by its link or the secret part of it",
    args: ["secret"],
    build: async ({ secret }) => ({ secret: String(secret).slice(String(secret).indexOf("#") + 1) }),
    says: ({ name, myRole }) => `${name}\t${myRole ?? ""}`,
  },

  listNotifications: {
    command: "person notifications",
    summary: "my notifications, newest first; with --read all are marked as read",
    columns: ["when=createdAt", "read=readAt", "what=title", "more=text", "id"],
  },
  readNotifications: { command: "person notifications", flag: "read", flags: { notification: "only-one" } },
  notificationSettings: {
    command: "person notify",
    summary: "where my notifications go; with a kind it is switched on or off",
    columns: ["mail", "posted to=webhook"],
    tables: { kinds: ["kind", "app", "mail", "webhook", "when=means"] },
  },
  setNotification: {
    command: "person notify",
    args: ["kind"],
    helps: { kind: "as the list names it", app: "on the page", mail: "by mail", webhook: "posted to my webhook" },
    usual: { app: channel("app"), mail: channel("mail"), webhook: channel("webhook") },
    columns: ["mail", "posted to=webhook"],
    tables: { kinds: ["kind", "app", "mail", "webhook", "when=means"] },
  },
  setWebhook: {
    command: "person webhook",
    args: ["url"],
    after: ({ secret }) =>
      secret === null ? null : "Check the signatures with this secret, which is shown this once.",
  },

  listAudit: {
    command: "person audit",
    summary: "the lines of the platform's audit, newest first (platform admins and auditors)",
    flags: { actor: "by" },
    usual: { limit: 50 },
    columns: lineColumns,
  },
  listActivity: { command: "person activity", usual: { limit: 30 }, columns: lineColumns },
} as const satisfies Partial<Rows>;

/** A channel of a kind as it is now, where only others are switched. */
function channel(name: "app" | "mail" | "webhook") {
  return async ({ kind: wanted }: Given, { client }: Scene): Promise<boolean> => {
    const { kinds } = await client.notificationSettings();
    const row: NotificationSettings["kinds"][number] | undefined = kinds.find(({ kind }) => kind === wanted);
    return row?.[name] ?? invalid("kind", wanted, `one of ${kinds.map(({ kind }) => kind).join(", ")}`);
  };
}

/** From my account to the agent's next to it, or back. */
async function shareMove({ agent, epsilon, dataset, back }: Given, { client }: Scene) {
  const mine = (await listOf(client.all("listAgents"))).filter(({ id, name }) => id === agent || name === agent);
  const one = onlyOne(mine, agent, "an agent of mine", ({ id }) => id);
  const shares = one.shares.filter(
    ({ datasetNames }) => dataset === undefined || datasetNames.includes(String(dataset)),
  );
  const want = "a budget next to mine: --dataset names one";
  const { own, account } = onlyOne(shares, dataset ?? agent, want, ({ datasetNames }) => datasetNames.join());
  return {
    agent: one.id,
    epsilon: String(epsilon),
    ...(back === true ? { from: account, to: own } : { from: own, to: account }),
  };
}

function onlyOne<T>(found: readonly T[], got: unknown, want: string, nameOf: (one: T) => string): T {
  const [only, ...others] = found;
  if (only === undefined) return invalid("agent", got, want);
  return others.length === 0 ? only : invalid("agent", got, `one of ${found.map(nameOf).join(", ")}`);
}
