import { PrivacyError } from "@dosimeter/core";
import { nameFrom } from "@dosimeter/ledger";
import { readsAudit } from "../access/authority.ts";
import { hoursFromNow, PROVISION } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import { tokenView } from "../view/credential.ts";
import { search } from "./search.ts";
import { DAYS } from "./tokens.ts";

export const service = {
  async health({ deps }) {
    const demo = (await deps.ready()) && (await deps.demoIsOn());
    return { status: "ok", version: deps.version, demo };
  },
  async ready({ deps, caller }) {
    if (!(await deps.ready())) throw new PrivacyError("NOT_READY");
    if (caller === null || !readsAudit(caller.roles)) return { ready: true };
    const sources = Object.entries(deps.reach.problems()).map(([name, problem]) => ({ name, problem }));
    const frozen = (await deps.database.ledgers.frozen()).map(({ missing: _, ...known }) => known);
    return { ready: true, sources, frozen };
  },
  async testMail({ deps, caller }) {
    const { id, email } = caller.principal;
    if (deps.mailer === null)
      throw new PrivacyError(
        "CONFLICT",
        {},
        "this server sends no mail: set DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM",
      );
    if (email === null) throw new PrivacyError("CONFLICT", {}, "you have no e-mail address here to send a letter to");
    await deps.rates.take("mailBy", `${id} ${email}`);
    return { problem: await deps.mailer.test(email) };
  },
  async diagnose({ deps, caller }) {
    await deps.rates.take("test", caller.principal.id);
    return deps.diagnose();
  },
  async listSecrets({ deps }) {
    return { items: await deps.secrets() };
  },
  async createProviderToken({ deps, caller, input, exchange }) {
    const { id: provider, name } = deps.scim.provider(input.provider);
    const { people, provisioning } = deps.database;
    const by = caller.principal.id;
    const service = await provisioning.serviceOf({ provider, name: nameFrom(`${name} (SCIM)`) ?? provider, by });
    // No maker: the token must outlast that of the admin who made it.
    const { credential, secret } = await people.createCredential({
      kind: "token",
      principal: service.id,
      name: "SCIM",
      scopes: [PROVISION],
      expiresAt: hoursFromNow(24 * (input.days ?? DAYS)),
      by,
    });
    return { ...tokenView(credential), secret, service: service.id, url: `${exchange.origin}/scim/v2` };
  },
  async search({ deps, caller, input }) {
    return { items: await search(input.text, caller, deps) };
  },
} satisfies HandlersOf<"service">;
