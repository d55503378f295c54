import { type EpsilonAmount, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { refuseAgent } from "../people/payer.ts";
import { presentRow } from "../people/principal.ts";
import { putRow, rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { By, PrincipalId } from "../values/id.ts";

/** Limits of an AI agent, in ε by addition over all ledgers. null: no such limit. */
export interface AgentLimits {
  /** The most within any hour. */
  readonly hourEpsilon: EpsilonAmount | null;
  /** A release that costs more waits until the person for whom the agent acts has confirmed it. */
  readonly confirmAbove: EpsilonAmount | null;
}

const NO_LIMITS: AgentLimits = { hourEpsilon: null, confirmAbove: null };

/** Milliseconds over which the charges of an agent are counted, up to now. */
const WINDOW_MS = 3_600_000;

export async function agentLimits({ store: { read } }: Context, agent: PrincipalId): Promise<AgentLimits> {
  const row = await rowWith(read, "agent_limit", { principal_id: agent });
  return row === undefined ? NO_LIMITS : { hourEpsilon: row.hour_epsilon, confirmAbove: row.confirm_above };
}

/** Absent fields stay. CONFLICT unless it is an AI agent that was not removed. FORBIDDEN for an agent, whatever roles it has. */
export function setAgentLimits(
  context: Context,
  {
    agent,
    by,
    ...set
  }: By & { readonly agent: PrincipalId } & { [K in keyof AgentLimits]?: AgentLimits[K] | undefined },
): Promise<AgentLimits> {
  return change(context, async (tx, chain) => {
    await refuseAgent(tx, by);
    const { kind } = await presentRow(tx, agent);
    if (kind !== "agent") throw new PrivacyError("CONFLICT", { name: "person", got: kind, want: "an AI agent" });
    const before = await rowWith(tx.db, "agent_limit", { principal_id: agent });
    const { hourEpsilon = before?.hour_epsilon ?? null, confirmAbove = before?.confirm_above ?? null } = set;
    if (confirmAbove !== null && (await rowWith(tx.db, "service", { principal_id: agent })) === undefined)
      throw new PrivacyError("CONFLICT", {
        name: "confirmAbove",
        want: "null: this agent acts for no person who could confirm",
      });
    const row = {
      principal_id: agent,
      hour_epsilon: hourEpsilon,
      confirm_above: confirmAbove,
      changed_at: context.store.now(),
      changed_by: by,
    };
    await putRow(tx.db, "agent_limit", row, "principal_id");
    chain.append({ actor: by, action: "agent.limit", detail: { agent }, ...images.agent_limit(row) });
    return { hourEpsilon, confirmAbove };
  });
}

/** A charge under the limits of an agent: charged, waiting for a click, or refused. */
interface AgentQuote extends AgentLimits {
  /** Null without a limit for each hour. */
  readonly hourLeft: EpsilonAmount | null;
  readonly outcome: "charged" | "waits" | "refused";
}

/** Decides as a charge of this price would now; writes nothing. */
export async function quoteAgent(
  context: Context,
  { agent, price }: { readonly agent: PrincipalId; readonly price: EpsilonAmount | null },
): Promise<AgentQuote> {
  const { store } = context;
  const limits = await agentLimits(context, agent);
  const { hourEpsilon } = limits;
  const left =
    hourEpsilon === null
      ? null
      : leftOf(hourEpsilon, await spentWithinHour({ db: store.read }, { agent, now: store.now() }));
  const isOver = left !== null && !isWithin(left, price);
  const outcome = isOver ? "refused" : needsClick(limits, price) === null ? "charged" : "waits";
  return { ...limits, hourLeft: left as EpsilonAmount | null, outcome };
}

/** Free fits always, no price in ε never. */
const isWithin = (left: bigint, price: bigint | null): boolean => price !== null && (price === 0n || price <= left);

interface Spent {
  readonly epsilon: bigint | string | null;
  readonly uncounted: bigint | string;
}

const SPENT = `SELECT SUM(epsilon) AS epsilon, COUNT(*) - COUNT(epsilon) AS uncounted
  FROM agent_charge WHERE principal_id = ? AND at > ?`;

/** ε spent within the hour before `now`; null where a charge has no price in ε. */
export async function spentWithinHour(
  { db }: Pick<Tx, "db">,
  { agent, now }: { readonly agent: PrincipalId; readonly now: string },
): Promise<bigint | null> {
  const from = new Date(Date.parse(now) - WINDOW_MS).toISOString();
  const [row] = await rowsOf<Spent>(db, SPENT, [agent, from]);
  return BigInt(row?.uncounted ?? 0n) > 0n ? null : BigInt(row?.epsilon ?? 0n);
}

/** The amount above which a click is needed, where the price is above it; else null. */
export const needsClick = ({ confirmAbove }: AgentLimits, price: bigint | null): EpsilonAmount | null =>
  confirmAbove !== null && (price === null || price > confirmAbove) ? confirmAbove : null;

/** Left of the hour; nothing where a charge has no price in ε. */
const leftOf = (limit: EpsilonAmount, spent: bigint | null): bigint =>
  spent === null || spent > limit ? 0n : limit - spent;

/**
 * QUOTA_EXHAUSTED where a charge and what its agent has spent within the hour are more than its limit. What has no price in ε
 * cannot be counted: it is refused, and leaves nothing for an hour.
 */
export function refuseOverHour(
  { hourEpsilon: limit }: AgentLimits,
  {
    agent,
    spent,
    price,
  }: { readonly agent: PrincipalId; readonly spent: bigint | null; readonly price: bigint | null },
): void {
  if (limit === null) return;
  const left = leftOf(limit, spent);
  if (isWithin(left, price)) return;
  const [available, requested] = [left, price].map((units) => (units === null ? null : formatEpsilon(units)));
  throw new PrivacyError(
    "QUOTA_EXHAUSTED",
    { agent, dimension: "hour", available, requested, limit: formatEpsilon(limit), largestEpsilon: available },
    requested === null
      ? `an agent with a limit of ε = ${formatEpsilon(limit)} within an hour cannot charge what has no price in ε (Gaussian noise)`
      : `this agent may spend ε = ${formatEpsilon(limit)} within an hour and has ${available} left, this charge needs ${requested}`,
  );
}
