import { PrivacyError } from "@dosimeter/core";
import { readsAudit } from "../access/authority.ts";
import type { HandlersOf } from "../http/call.ts";
import { search } from "./search.ts";

export const service = {
  async health({ deps }) {
    const demo = (await deps.ready()) && (await deps.demoIsOn());
    return { status: "ok", version: deps.version, demo };
  },
  async ready({ deps, caller }) {
    if (!(await deps.ready())) throw new PrivacyError("NOT_READY");
    if (caller === null || !readsAudit(caller.roles)) return { ready: true };
    const sources = Object.entries(deps.reach.problems()).map(([name, problem]) => ({ name, problem }));
    const frozen = (await deps.database.ledgers.frozen()).map(({ ledger, since, reason }) => ({
      ledger: `${ledger}`,
      since,
      reason,
    }));
    return { ready: true, sources, frozen };
  },
  async search({ deps, caller, input }) {
    return { items: [...(await search(input.text, caller, deps))] };
  },
} satisfies HandlersOf<"service">;
