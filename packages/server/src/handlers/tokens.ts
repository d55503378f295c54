import { PrivacyError } from "@dosimeter/core";
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
  async revokeToken({ deps, caller, input }) {
    await deps.books.people.endCredential({ by: caller.principal.id, credential: input.token });
    return undefined;
  },
} satisfies HandlersOf<"tokens">;
