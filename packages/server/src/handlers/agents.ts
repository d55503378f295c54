import { setTimeout as pause } from "node:timers/promises";
import { type EpsilonAmount, invalid, PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import type { AccountId, Confirmation, PrincipalId } from "@dosimeter/ledger";
import { authorise } from "../access/authority.ts";
import { type Caller, hoursFromNow, refuseProgram, scopesOf } from "../access/credentials.ts";
import { askedEpsilon } from "../http/amount.ts";
import type { Call, Exchange, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { storedIn } from "../release/request.ts";
import { agentView, confirmationNow, confirmationView, limitsView } from "../view/agent.ts";
import { directory } from "../view/directory.ts";
import { planView } from "../view/plan.ts";
import { releases } from "./releases.ts";
import { DAYS } from "./tokens.ts";

export const agents = {
  async listAgents({ deps, caller, input }) {
    const { people } = deps.database;
    const behind = await people.analystsBehind();
    const mine = (await people.principals()).filter(
      ({ id, kind }) => kind === "agent" && behind.get(id) === caller.principal.id,
    );
    const { items, next } = pageOf(mine, input);
    const names = await directory(deps.database);
    return { items: await Promise.all(items.map((agent) => agentView(agent, names, deps))), next };
  },

  async setAgentLimits({ deps, caller, input }) {
    if (!caller.roles.platformAdmin) refuseProgram(caller);
    const agent = input.agent as PrincipalId;
    const hourEpsilon = amountOf(input.hourEpsilon, "body.hourEpsilon");
    if (hourEpsilon === 0n) invalid("body.hourEpsilon", input.hourEpsilon, "above 0, or null");
    const confirmAbove = amountOf(input.confirmAbove, "body.confirmAbove");
    const by = caller.principal.id;
    return {
      agent,
      ...limitsView(await deps.database.agents.setAgentLimits({ agent, hourEpsilon, confirmAbove, by })),
    };
  },

  async moveShare({ deps, caller, input }) {
    const agent = input.agent as PrincipalId;
    const epsilon = askedEpsilon(input.epsilon, "body.epsilon");
    const [from, to] = [input.from as AccountId, input.to as AccountId];
    await deps.database.agents.moveShare({ by: caller.principal.id, agent, from, to, epsilon });
    return agentView(await deps.database.people.principal(agent), await directory(deps.database), deps);
  },

  async removeAgent({ deps, caller, input }) {
    await deps.database.people.disablePrincipal({ by: caller.principal.id, principal: input.agent as PrincipalId });
    return undefined;
  },

  async showMcpClient({ deps, input, exchange }) {
    const { name, address, scopes, state } = deps.mcpClients.read(queryOf(input.asked), exchange.origin);
    const refused = withFields(address, { error: "access_denied", state, iss: exchange.origin });
    return { name, returnsTo: address.host, isHere: isThisMachine(address.hostname), scopes: [...scopes], refused };
  },

  async letMcpClientIn({ deps, caller, input, exchange }) {
    refuseProgram(caller, "lets a program in");
    const { name, address, scopes, bound, state } = deps.mcpClients.read(queryOf(input.asked), exchange.origin);
    const { secret } = await deps.database.people.createCode({
      ...{ principal: input.agent as PrincipalId, name, scopes, bound },
      ...{ expiresAt: hoursFromNow(24 * (input.days ?? DAYS)), maker: caller.credential.id, by: caller.principal.id },
    });
    return { url: withFields(address, { code: secret, state, iss: exchange.origin }) };
  },

  async showConfirmation({ deps, input, exchange }) {
    const deadline = performance.now() + (input.wait ?? 0) * 1000;
    for (;;) {
      const seen = await confirmationNow(await deps.database.agents.confirmation(input.confirmation), deps.database);
      const waits = seen.charge === null && (seen.status === "pending" || seen.status === "confirmed");
      if (!waits || performance.now() >= deadline || exchange.signal.aborted || deps.queue.closing())
        return confirmationView(seen, await directory(deps.database), deps);
      await pause(LOOK_EVERY_MS);
    }
  },

  async decideConfirmation({ deps, caller, input, exchange }) {
    refuseProgram(caller);
    const verdict = input.verdict === "confirm" ? "confirmed" : "refused";
    const decided = await deps.database.agents.decideConfirmation({
      confirmation: input.confirmation,
      verdict,
      by: caller.principal.id,
    });
    if (verdict === "confirmed") await release(decided, deps, exchange);
    return confirmationView(await confirmationNow(decided, deps.database), await directory(deps.database), deps);
  },
} satisfies HandlersOf<"agents">;

const queryOf = (asked: string): string => Buffer.from(asked, "base64url").toString();

function withFields(address: URL, fields: Readonly<Record<string, string | null>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

/** How often someone who waits for a click looks again. */
const LOOK_EVERY_MS = 500;

const amountOf = (value: string | number | null | undefined, name: string): EpsilonAmount | null | undefined =>
  value === null || value === undefined ? value : askedEpsilon(value, name);

/** Charges what was confirmed, under the key and with the rights of the agent as they are now. */
async function release(
  { agent, account, credential, key, asked, purpose }: Confirmation,
  deps: Deps,
  exchange: Exchange,
) {
  const { people } = deps.database;
  const held = (await people.credentials(agent)).find(({ id }) => id === credential);
  if (held === undefined) throw new PrivacyError("NOT_FOUND");
  const principal = await people.principal(agent);
  const roles = await people.rolesOf(agent);
  const caller: Caller = { principal, credential: held, roles, via: "token", scopes: scopesOf(held) };
  await authorise("accountSpender", caller, { account }, deps);
  const { dataset, plan, reuse, asOf } = storedIn({ request: asked });
  const input = {
    dataset,
    account,
    plan: planView(plan),
    ...(reuse === undefined ? {} : { reuse: reuse as Exclude<Call<"createRelease">["input"]["reuse"], undefined> }),
    ...(asOf == null ? {} : { asOf }),
    ...(purpose === null ? {} : { purpose }),
    key,
  };
  await releases.createRelease({ deps, caller, input, exchange: { ...exchange, setLocation: () => undefined } });
}
