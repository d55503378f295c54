import { PrivacyError } from "@dosimeter/core";
import { checkPassword, hashPassword, verifyPassword } from "../access/password.ts";
import type { HandlersOf } from "../call.ts";
import { hoursFromNow } from "../credentials.ts";
import { pageOf } from "../page.ts";
import { tokenView } from "../view/credential.ts";

const DAYS = 90;

export const tokens = {
  async listTokens({ deps, caller, input }) {
    const all = await deps.books.people.credentials(caller.principal.id);
    const { items, next } = pageOf(
      all.filter(({ kind }) => kind === "token"),
      input,
    );
    return { items: items.map(tokenView), next };
  },
  async createToken({ deps, caller, input }) {
    const missing = input.scopes.find((scope) => !caller.scopes.includes(scope));
    if (missing !== undefined)
      throw new PrivacyError("FORBIDDEN", {
        name: "body.scopes",
        got: missing,
        want: "a scope that this credential has itself",
      });
    const { credential, secret } = await deps.books.people.createCredential({
      kind: "token",
      principal: caller.principal.id,
      name: input.name,
      scopes: input.scopes,
      expiresAt: hoursFromNow(24 * (input.days ?? DAYS)),
      by: caller.principal.id,
    });
    return { ...tokenView(credential), secret };
  },
  async listSessions({ deps, caller, input }) {
    const now = new Date().toISOString();
    const all = await deps.books.people.credentials(caller.principal.id);
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
    await deps.books.people.endCredential({ by: caller.principal.id, credential: input.session });
    return undefined;
  },
  async setPassword({ deps, caller, input }) {
    const { people } = deps.books;
    const { id, name, email } = caller.principal;
    deps.rates.take("password", id);
    const stored = await people.passwordOf(id);
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
    const by = caller.principal.id;
    const { people } = deps.books;
    await people.endCredential({ by, credential: input.token });
    // A token is revoked because it leaked: the sessions that were begun with it end too.
    for (const { id, kind, name, endedAt } of await people.credentials(by))
      if (kind === "session" && name === input.token && endedAt === null)
        await people.endCredential({ by, credential: id });
    return undefined;
  },
} satisfies HandlersOf<"tokens">;
