import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import { type Caller, hoursFromNow } from "../access/credentials.ts";
import { checkPassword, hashPassword, verifyPassword } from "../access/password.ts";
import { refuseWithoutPasswords } from "../access/password-sign-in.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { tokenView } from "../view/credential.ts";

/** How long a token lives that says nothing of it. */
export const DAYS = 90;

export const tokens = {
  async listTokens({ deps, caller, input }) {
    const { items, next } = pageOf(await deps.database.people.tokens(caller.principal.id), input);
    return { items: items.map(tokenView), next };
  },
  async createToken({ deps, caller, input }) {
    return make(caller.principal.id, input, caller, deps);
  },
  async listServiceTokens({ deps, input }) {
    const service = await serviceOf(input.person, deps, { areRemovedSeen: true });
    const { items, next } = pageOf(await deps.database.people.tokens(service), input);
    return { items: items.map(tokenView), next };
  },
  async createServiceToken({ deps, caller, input }) {
    return make(await serviceOf(input.person, deps), input, caller, deps);
  },
  async revokeServiceToken({ deps, caller, input }) {
    const service = await serviceOf(input.person, deps);
    await revoke(service, input.token, caller, deps);
    return undefined;
  },
  async listSessions({ deps, caller, input }) {
    const now = new Date().toISOString();
    const all = await deps.database.people.credentials(caller.principal.id);
    const live = all.filter(
      ({ kind, endedAt, expiresAt }) => kind === "session" && endedAt === null && expiresAt > now,
    );
    const { items, next } = pageOf(live, input);
    const tokens = new Map(all.filter(({ kind }) => kind === "token").map(({ id, name }) => [id, name]));
    return {
      items: items.map(({ id, name, createdAt, expiresAt }) => ({
        id,
        name: tokens.has(name) ? `by the token ${tokens.get(name)}` : name,
        createdAt,
        expiresAt,
        current: id === caller.credential.id,
      })),
      next,
    };
  },
  async revokeSession({ deps, caller, input }) {
    await deps.database.people.endCredential({ by: caller.principal.id, credential: input.session });
    return undefined;
  },
  async setPassword({ deps, caller, input }) {
    const { people } = deps.database;
    const { id, name, email } = caller.principal;
    refuseWithoutPasswords(deps);
    await deps.rates.take("password", id);
    const stored = await people.passwordOf(id);
    // The sign-in that it opens has every scope and outlives the token.
    if (stored === null && isByToken(caller))
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "credential", got: "a token", want: "a sign-in by link, invitation or provider" },
        "a token sets no first password; sign in to set it",
      );
    if (stored !== null && !(await verifyPassword(input.current ?? "", stored)))
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "body.current", want: "the password in force" },
        "this is not your password now",
      );
    checkPassword(input.password, { name, email });
    await people.setPassword({
      principal: id,
      hash: await hashPassword(input.password),
      keep: caller.credential.id,
      by: id,
    });
    deps.sender?.wake();
    return undefined;
  },
  async revokeToken({ deps, caller, input }) {
    await revoke(caller.principal.id, input.token, caller, deps);
    return undefined;
  },
} satisfies HandlersOf<"tokens">;

/** Whether a caller came with a token, or with a session that was begun with one. */
const isByToken = ({ via, credential }: Caller): boolean => via === "token" || credential.maker !== null;

/** The token that a caller came with, or with which their session was begun. */
async function tokenBehind({ via, credential, principal }: Caller, { people }: Deps["database"]) {
  if (via === "token") return credential;
  if (credential.maker === null) return undefined;
  return (await people.credentials(principal.id)).find(({ id }) => id === credential.maker);
}

/** The scopes of a new token are those of the caller, or fewer; one that a token makes ends no later than it. */
async function make(
  principal: PrincipalId,
  { name, scopes, days = DAYS }: Pick<Call<"createToken">["input"], "name" | "scopes" | "days">,
  caller: Caller,
  { database }: Deps,
) {
  const missing = scopes.find((scope) => !caller.scopes.includes(scope));
  if (missing !== undefined)
    throw new PrivacyError("FORBIDDEN", {
      name: "body.scopes",
      got: missing,
      want: "a scope that this credential has itself",
    });
  const asked = hoursFromNow(24 * days);
  const latest = (await tokenBehind(caller, database))?.expiresAt ?? asked;
  const { credential, secret } = await database.people.createCredential({
    kind: "token",
    principal,
    name,
    scopes,
    expiresAt: asked < latest ? asked : latest,
    maker: caller.credential.id,
    by: caller.principal.id,
  });
  return { ...tokenView(credential), secret };
}

async function revoke(
  owner: PrincipalId,
  token: string,
  caller: Caller,
  { database: { people } }: Deps,
): Promise<void> {
  const by = caller.principal.id;
  if (!(await people.credentials(owner)).some(({ id, kind }) => kind !== "session" && id === token))
    throw new PrivacyError("NOT_FOUND");
  await people.endCredential({ by, credential: token });
}

/** An admin makes the tokens of services and agents, which cannot sign in; people make their own. */
async function serviceOf(person: string, { database }: Deps, { areRemovedSeen = false } = {}): Promise<PrincipalId> {
  const { id, kind, removedAt } = await database.people.principal(person);
  if (removedAt !== null && !areRemovedSeen) throw new PrivacyError("NOT_FOUND");
  if (kind === "user") throw new PrivacyError("CONFLICT", { name: "person", got: kind, want: "a service or an agent" });
  return id;
}
