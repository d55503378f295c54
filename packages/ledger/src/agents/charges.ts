import type { EpsilonAmount } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { ChargeId, DatasetId, PrincipalId } from "../values/id.ts";
import { spentWithinHour } from "./limits.ts";

/** A charge of an AI agent, with what it said that it was for. */
export interface AgentCharge {
  readonly charge: ChargeId;
  readonly dataset: DatasetId;
  /** Its price by addition; null where it has none. */
  readonly epsilon: EpsilonAmount | null;
  readonly purpose: string | null;
  readonly at: string;
}

export const PUT_AGENT_CHARGE =
  "INSERT INTO agent_charge (entry_seq, principal_id, epsilon, purpose, at) VALUES (?, ?, ?, ?, ?)";

export const agentChargeValues = (row: Tables["agent_charge"]): readonly Value[] => [
  row.entry_seq,
  row.principal_id,
  row.epsilon,
  row.purpose,
  row.at,
];

export async function agentCharges(
  { store: { read } }: Context,
  { agent, limit }: { readonly agent: PrincipalId; readonly limit: number },
): Promise<readonly AgentCharge[]> {
  const rows = await read
    .selectFrom("agent_charge")
    .innerJoin("charge", "charge.entry_seq", "agent_charge.entry_seq")
    .select(["charge.id", "charge.dataset_id", "agent_charge.epsilon", "agent_charge.purpose", "agent_charge.at"])
    .where("agent_charge.principal_id", "=", agent)
    .orderBy("agent_charge.at", "desc")
    .orderBy("agent_charge.entry_seq", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id: charge, dataset_id: dataset, ...row }) => ({ charge, dataset, ...row }));
}

/** ε spent within the last hour, by addition; null where a charge has no such price. */
export const spentThisHour = ({ store }: Context, agent: PrincipalId): Promise<bigint | null> =>
  spentWithinHour({ db: store.read }, { agent, now: store.now() });
