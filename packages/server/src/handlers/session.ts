import { PrivacyError } from "@dosimeter/core";
import type { Credential, Principal } from "@dosimeter/ledger";
import { hoursFromNow, isOwnSession, LINK_HOURS, scopesOf } from "../access/credentials.ts";
import { checkPassword, hashPassword } from "../access/password.ts";
import { enterByPassword, refuseWithoutPasswords } from "../access/password-sign-in.ts";
import { sessionName } from "../access/session-name.ts";
import type { Call, Exchange, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { directory } from "../view/directory.ts";
import { demoPeople, meView } from "../view/person.ts";
import { mayLinksAdmit } from "./teams.ts";

export const session = {
  async showSession({ deps, caller, exchange }) {
    const { database, firstAdmin } = deps;
    const demo = await database.people.demoStatus();
    if (caller !== null)
      return { me: await meView(caller, deps, demo === "on"), demo, demoPeople: [], firstAdmin: false };
    const faces = demo === "on" && exchange.isLocal ? await demoPeople(database, await directory(database), null) : [];
    return {
      me: null,
      demo,
      demoPeople: faces.map(({ current: _, ...face }) => face),
      firstAdmin: await firstAdmin.isOpen(),
    };
  },

  async signIn({ deps, input, exchange }) {
    const method = methods.find((one) => one in input) ?? "token";
    const email = "email" in input && !("invitation" in input) ? { email: input.email } : {};
    return deps.notedSignIn({ method: method === "email" ? "password" : method, ...exchange, ...email }, () =>
      enter(input, deps, exchange),
    );
  },

  /** Signs no one in: a second factor is asked for with the new password. */
  async resetPassword({ deps, input: { link: secret, password }, exchange }) {
    await deps.notedSignIn({ method: "link", ...exchange }, async () => {
      await deps.rates.take("signIn", exchange.address);
      refuseWithoutPasswords(deps);
      const { people } = deps.database;
      checkPassword(password, await people.passwordLinkOf(secret));
      await people.resetPassword({ secret, hash: await hashPassword(password) });
    });
    deps.sender?.wake();
    return undefined;
  },

  async signOut({ deps, exchange }) {
    const { people } = deps.database;
    const secret = exchange.sessionSecret;
    exchange.setSession(null);
    if (secret === undefined) return undefined;
    try {
      const { principal, credential } = await people.authenticate("session", secret);
      await people.endCredential({ by: principal.id, credential: credential.id });
    } catch (error) {
      if (!(error instanceof PrivacyError && error.code === "UNAUTHENTICATED")) throw error;
    }
    return undefined;
  },

  async createFirstAdmin({ deps, input, exchange }) {
    const person = await deps.notedSignIn({ method: "firstAdmin", ...exchange }, async () => {
      await deps.rates.take("signIn", exchange.address);
      return deps.firstAdmin.create(input);
    });
    return beginSession(person, deps, exchange, { how: "as the first admin" });
  },

  async continueAs({ deps, input, exchange }) {
    await deps.rates.take("signIn", exchange.address);
    if (!exchange.isLocal || !(await deps.demoIsOn())) throw new PrivacyError("NOT_FOUND");
    return beginSession(await demoPerson(input.person, deps), deps, exchange, { how: "in the demo" });
  },

  async viewAs({ deps, caller, input, exchange }) {
    if (!isOwnSession(caller)) throw new PrivacyError("NOT_FOUND");
    const next = await beginSession(await demoPerson(input.person, deps), deps, exchange, { how: "in the demo" });
    await deps.database.people.endCredential({ by: caller.principal.id, credential: caller.credential.id });
    return next;
  },

  async signInWays({ deps, exchange }) {
    const providers = deps.oidc.providers.map(({ id, name }) => ({
      id,
      name,
      url: `${exchange.origin}/auth/oidc/${id}`,
    }));
    const isAny = deps.signIn === "any";
    return { password: isAny, mail: isAny && deps.sendsMail, providers };
  },

  async requestSignInLink({ deps, input, exchange }) {
    const email = input.email.trim().toLowerCase();
    await deps.rates.take("signIn", exchange.address);
    // Whether the address is known decides what is done, so it is done after the answer.
    if (deps.sendsMail && deps.signIn === "any") deps.afterwards(() => mailLink(email, deps));
    return undefined;
  },

  async me({ deps, caller }) {
    return meView(caller, deps, await deps.demoIsOn());
  },

  async createDemoLinks({ deps, caller, exchange }) {
    const { database } = deps;
    if (!(await deps.demoIsOn()))
      throw new PrivacyError(
        "CONFLICT",
        {},
        "there is no demo here, or demo sign-in ended when a real person was added",
      );
    const items = [];
    for (const { id, name, description } of await demoPeople(database, await directory(database), null))
      items.push({
        ...(await signInLink(await database.people.principal(id), caller.principal.id, deps, exchange.origin)),
        name,
        description,
      });
    return { items };
  },
} satisfies HandlersOf<"session">;

const methods = ["link", "invitation", "email"] as const;

type SignInInput = Call<"signIn">["input"];

/** Lets in who has the secret. */
async function enter(input: SignInInput, deps: Deps, exchange: Exchange) {
  const { people } = deps.database;
  if ("email" in input && !("invitation" in input)) return byPassword(input, deps, exchange);
  await deps.rates.take("signIn", exchange.address);
  if ("link" in input) return beginSession(await people.redeemLink(input.link), deps, exchange, { how: "by a link" });
  if (deps.signIn === "providers" && !("token" in input))
    throw new PrivacyError("FORBIDDEN", {}, "people sign in with a provider here, and in no other way");
  if ("invitation" in input)
    return beginSession(await byInvitation(input, deps), deps, exchange, { how: "by an invitation" });
  const { principal, credential } = await people.authenticate("token", input.token);
  return beginSession(principal, deps, exchange, { token: credential });
}

async function byPassword(input: Extract<SignInInput, { email: string }>, deps: Deps, exchange: Exchange) {
  const { person, recoveryCodes } = await enterByPassword(input, exchange.address, deps);
  const begun = await beginSession(person, deps, exchange, { how: "by password" });
  if (recoveryCodes === undefined) return begun;
  deps.sender?.wake();
  return { ...begun, recoveryCodes };
}

async function demoPerson(id: string, { database }: Deps): Promise<Principal> {
  const person = await database.people.principal(id);
  if (!person.demo || person.removedAt !== null) throw new PrivacyError("NOT_FOUND");
  return person;
}

/** A one-time link; its secret is behind the `#`, which browsers never send and servers never log. */
export async function signInLink(person: Principal, by: Principal["id"], { database }: Deps, origin: string) {
  const expiresAt = hoursFromNow(LINK_HOURS);
  const { secret } = await database.people.createCredential({
    kind: "link",
    principal: person.id,
    expiresAt,
    by,
  });
  return { person: person.id, name: person.name, url: `${origin}/sign-in#${secret}`, expiresAt };
}

async function mailLink(email: string, deps: Deps): Promise<void> {
  const person = await deps.database.people.principalByEmail(email);
  if (person === null || person.removedAt !== null || !(await isRoom(deps, email))) return;
  const message = { kind: "link", principal: person.id };
  await deps.database.outbox.putMail({ address: email, message, principal: person.id });
  deps.sender?.wake();
}

/** A mail above the limit is silently not sent: an error would reveal that the address is known. */
async function isRoom({ rates }: Deps, email: string): Promise<boolean> {
  try {
    await rates.take("mail", email);
    return true;
  } catch {
    return false;
  }
}

/** A new person joins by a mailed invitation, whose secret proves the address, or by a link of a team that allows it. */
async function byInvitation(
  { invitation, name, email, password }: Extract<SignInInput, { readonly invitation: string }>,
  deps: Deps,
) {
  if (password !== undefined) checkPassword(password, { name, email: email ?? null });
  const person = await deps.database.people.joinByInvitation({
    secret: invitation,
    name,
    email,
    hash: password === undefined ? undefined : await hashPassword(password),
    mayLinksAdmit: mayLinksAdmit(deps),
  });
  deps.sender?.wake();
  return person;
}

async function admitted(principal: Principal, { demoIsOn }: Deps): Promise<Principal> {
  if (principal.demo && !(await demoIsOn())) throw new PrivacyError("UNAUTHENTICATED");
  return principal;
}

/** A new session; one begun with a token may do no more than the token, ends no later, and is named after it. */
export async function beginSession(
  person: Principal,
  deps: Deps,
  exchange: Exchange,
  { token, how = "" }: { readonly token?: Credential; readonly how?: string },
) {
  const { database } = deps;
  const principal = await admitted(person, deps);
  const scopes = token?.scopes ?? [];
  const longest = hoursFromNow(deps.sessionHours);
  const expiresAt = token !== undefined && token.expiresAt < longest ? token.expiresAt : longest;
  const { secret, credential } = await database.people.createCredential({
    kind: "session",
    principal: principal.id,
    name: token?.id ?? sessionName(how, exchange.agent),
    scopes,
    expiresAt,
    maker: token?.id,
    by: principal.id,
  });
  exchange.setSession(secret);
  const roles = await database.people.rolesOf(principal.id);
  const caller = { principal, roles, credential, via: "session" as const, scopes: scopesOf(credential) };
  return { ...(await meView(caller, deps, await deps.demoIsOn())), expiresAt };
}
