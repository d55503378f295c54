import { type EpsilonAmount, invalid } from "@dosimeter/core";
import type { CheckedRequest } from "../release/charge.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { PrincipalId } from "../values/id.ts";
import { checkPurpose, clickOf, refuseUnconfirmed } from "./confirmation.ts";
import { type AgentLimits, refuseOverHour, spentWithinHour } from "./limits.ts";

/** The agent that asks for one charge. */
export interface Agent {
  /** QUOTA_EXHAUSTED above what is left of its hour, CONFIRMATION_NEEDED above what it may spend by itself. */
  refuse(price: EpsilonAmount | null): void;
  /** Counts the charge, and gives the row to write. */
  pay(entry: bigint, price: EpsilonAmount | null): Tables["agent_charge"];
}

interface Limits {
  agent(principal: PrincipalId): Promise<AgentLimits | null>;
}

/** The agents of one transaction: what each spent is read once, and what they charge in it is counted at once. */
export function openAgents(tx: Tx, { agent: limitsOf }: Limits, at: string) {
  const spentBy = new Map<PrincipalId, bigint | null>();

  return {
    /** Null for people and services. INVALID_PARAMETER for a purpose of theirs. */
    async of(request: CheckedRequest): Promise<Agent | null> {
      const { principal, account, dataset, key } = request;
      const limits = await limitsOf(principal);
      const purpose = checkPurpose(request.purpose);
      if (limits === null) {
        if (purpose !== null) invalid("purpose", purpose, "absent: only an AI agent states one");
        return null;
      }
      if (limits.hourEpsilon !== null && !spentBy.has(principal))
        spentBy.set(principal, await spentWithinHour(tx, { agent: principal, now: at }));
      const click = limits.confirmAbove === null ? undefined : await clickOf(tx, { principal, key, at });
      let confirmed: Tables["confirmation"] | null = null;
      return {
        refuse(price) {
          refuseOverHour(limits, { agent: principal, spent: spentBy.get(principal) ?? null, price });
          const asked = request.asked ?? request.request;
          confirmed = refuseUnconfirmed(limits, click, { principal, account, dataset, key, asked, epsilon: price, at });
        },
        pay(entry, price) {
          const before = spentBy.get(principal);
          if (before !== undefined) spentBy.set(principal, before === null || price === null ? null : before + price);
          // What the person read when they clicked, whatever a later call says.
          const said = confirmed === null ? purpose : confirmed.purpose;
          return { entry_seq: entry, principal_id: principal, epsilon: price, purpose: said, at };
        },
      };
    },
  };
}
