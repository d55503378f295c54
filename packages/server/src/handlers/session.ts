import { PrivacyError } from "@dosimeter/core";
import type { Credential, Principal } from "@dosimeter/ledger";
import type { Exchange, HandlersOf } from "../call.ts";
import { hoursFromNow, LINK_HOURS, SESSION_HOURS, scopesOf } from "../credentials.ts";
import type { Deps } from "../deps.ts";
import { directory } from "../view/directory.ts";
import { demoPeople, meView } from "../view/person.ts";

export const session = {
  async signIn({ deps, input, exchange }) {
    const { people } = deps.books;
    if ("link" in input) return begin(await admitted(await people.redeemLink(input.link), deps), deps, exchange);
    const { principal, credential } = await people.authenticate("token", input.token);
    return begin(await admitted(principal, deps), deps, exchange, credential);
  },

  async signOut({ deps, exchange }) {
    const { people } = deps.books;
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

  async viewAs({ deps, caller, input, exchange }) {
    const { people } = deps.books;
    const person = await people.principal(input.person);
    if (caller.via !== "session" || !person.demo || person.disabledAt !== null) throw new PrivacyError("NOT_FOUND");
    const next = await begin(person, deps, exchange);
    await people.endCredential({ by: caller.principal.id, credential: caller.credential.id });
    return next;
  },

  async me({ deps, caller }) {
    return meView(caller, deps.books, await deps.demoIsOn());
  },

  async createDemoLinks({ deps, caller, exchange }) {
    const { books } = deps;
    if (!(await deps.demoIsOn()))
      throw new PrivacyError(
        "CONFLICT",
        {},
        "there is no demo here, or demo sign-in ended when a real person was added",
      );
    const items = [];
    for (const { id, name, description } of await demoPeople(books, await directory(books), null))
      items.push({
        ...(await signInLink(await books.people.principal(id), caller.principal.id, deps, exchange.origin)),
        name,
        description,
      });
    return { items };
  },
} satisfies HandlersOf<"session">;

/** A one-time link; its secret is behind the `#`, which browsers never send and servers never log. */
export async function signInLink(person: Principal, by: Principal["id"], { books }: Deps, origin: string) {
  const expiresAt = hoursFromNow(LINK_HOURS);
  const { secret } = await books.people.createCredential({ kind: "link", principal: person.id, expiresAt, by });
  return { person: person.id, name: person.name, url: `${origin}/sign-in#${secret}`, expiresAt };
}

async function admitted(principal: Principal, { demoIsOn }: Deps): Promise<Principal> {
  if (principal.demo && !(await demoIsOn())) throw new PrivacyError("UNAUTHENTICATED");
  return principal;
}

/** A new session; one begun with a token may do no more than the token, ends no later, and is named after it. */
async function begin(principal: Principal, deps: Deps, exchange: Exchange, token?: Credential) {
  const { books } = deps;
  const scopes = token?.scopes ?? [];
  const longest = hoursFromNow(SESSION_HOURS);
  const expiresAt = token !== undefined && token.expiresAt < longest ? token.expiresAt : longest;
  const { secret, credential } = await books.people.createCredential({
    kind: "session",
    principal: principal.id,
    name: token?.id,
    scopes,
    expiresAt,
    by: principal.id,
  });
  exchange.setSession(secret);
  const roles = await books.people.rolesOf(principal.id);
  const caller = { principal, roles, credential, via: "session" as const, scopes: scopesOf(credential) };
  return { ...(await meView(caller, books, await deps.demoIsOn())), expiresAt };
}
