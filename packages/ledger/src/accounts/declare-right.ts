import {
  type ActiveRule,
  type EpsilonAmount,
  formatEpsilon,
  type Mu2Amount,
  type Price,
  PrivacyError,
} from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { overLimit, overLimitError } from "../ledger/query-limit.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import { refuseAgent } from "../people/payer.ts";
import { principalRow } from "../people/principal.ts";
import { putRow, rowsWith, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, By, PrincipalId } from "../values/id.ts";
import { accountRow, checkActive } from "./account.ts";
import type { Quote, Step } from "./balance.ts";
import { refuseOwnRaise } from "./own-raise.ts";

/** The right to charge an account for programs outside. */
export interface DeclareRight {
  /** The most one such charge may take, as a pure ε; null: there is no such right. */
  readonly mostEpsilon: EpsilonAmount | null;
  /** Above it, what earlier chunks of the program took with it, a second person states the same; null: never. */
  readonly secondAbove: EpsilonAmount | null;
  readonly agents: boolean;
}

const NO_RIGHT: DeclareRight = { mostEpsilon: null, secondAbove: null, agents: false };

export async function declareRight({ store: { read } }: Context, account: AccountId): Promise<DeclareRight> {
  return rightIn({ db: read }, account);
}

export async function rightIn({ db }: Pick<Tx, "db">, account: AccountId): Promise<DeclareRight> {
  const row = await rowWith(db, "declare_right", { account_id: account });
  return row === undefined
    ? NO_RIGHT
    : { mostEpsilon: row.most_epsilon, secondAbove: row.second_above, agents: row.agents === 1n };
}

/** FORBIDDEN for the holder of the account, and for agents; what is absent stays. */
export function setDeclareRight(
  context: Context,
  {
    account,
    by,
    ...set
  }: By & { readonly account: AccountId } & { [K in keyof DeclareRight]?: DeclareRight[K] | undefined },
): Promise<DeclareRight> {
  return change(context, async (tx, chain) => {
    const before = await accountRow(tx, account);
    checkActive(before);
    await refuseAgent(tx, by);
    await refuseOwnRaise(context, tx, before, by);
    const known = await rightIn(tx, account);
    const { mostEpsilon = known.mostEpsilon, secondAbove = known.secondAbove, agents = known.agents } = set;
    const row = {
      account_id: account,
      most_epsilon: mostEpsilon,
      second_above: secondAbove,
      agents: agents ? 1n : 0n,
      changed_at: context.store.now(),
      changed_by: by,
    };
    await putRow(tx.db, "declare_right", row, "account_id");
    chain.append({
      actor: by,
      action: "account.declaring",
      ledger: before.ledger_id,
      detail: { account, mostEpsilon: mostEpsilon === null ? null : formatEpsilon(mostEpsilon), agents },
      ...images.declare_right(row),
    });
    return { mostEpsilon, secondAbove, agents };
  });
}

/** What a second person agreed to is this charge under this key, word for word. */
export const approvalDigest = (
  { store }: Context,
  { account, key, requestHash }: { readonly account: AccountId; readonly key: string; readonly requestHash: string },
): string => store.sha256(JSON.stringify([account, key, requestHash]));

/** Who agreed and is not the person who charges. An account has one spender: no second one uses it. */
export async function approverOf(
  tx: Pick<Tx, "db">,
  { digest, principal }: { readonly digest: string; readonly principal: PrincipalId },
): Promise<PrincipalId | null> {
  for (const { approved_by } of await rowsWith(tx.db, "declare_approval", { digest }))
    if (!(await isOneAnalyst(tx, approved_by, principal))) return approved_by;
  return null;
}

export const isApproved = async (
  context: Context,
  tx: Pick<Tx, "db">,
  { principal, ...asked }: Parameters<typeof approvalDigest>[1] & { readonly principal: PrincipalId },
): Promise<boolean> => (await approverOf(tx, { digest: approvalDigest(context, asked), principal })) !== null;

/** What a decision did to the account that pays, of a ledger with blocks in each of them. */
export interface Paid {
  readonly account: Pick<Tables["account"], "id" | "cap_mu2">;
  readonly activeRule: ActiveRule;
  readonly price: Pick<Price, "epsilon">;
  readonly steps: readonly Step[];
}

/** What earlier chunks of the program took; null where that is not known. */
interface Earlier {
  readonly epsilon: bigint | null;
  readonly mu2: bigint | null;
}

/**
 * FORBIDDEN without the right, QUOTA_EXHAUSTED above the most that one charge may take, CONFIRMATION_NEEDED above what one person may charge
 * alone for a program.
 */
export function undeclaredRefusal(
  { mostEpsilon, secondAbove, agents }: DeclareRight,
  {
    isAgent,
    isSeconded,
    earlier,
    ...paid
  }: Paid & { readonly isAgent: boolean; readonly isSeconded: boolean; readonly earlier: Earlier },
): PrivacyError | null {
  if (mostEpsilon === null || (isAgent && !agents))
    return new PrivacyError("FORBIDDEN", {
      name: "account",
      got: paid.account.id,
      want: `one with the right to charge for ${isAgent ? "the programs of agents" : "programs outside"}, which an admin of the dataset gives`,
    });
  const tooLarge = above(mostEpsilon, paid);
  if (tooLarge.length > 0) return overLimitError(tooLarge);
  if (secondAbove === null || isSeconded) return null;
  if (above(secondAbove === 0n ? MIN_EPSILON : secondAbove, paid, earlier).length === 0) return null;
  return new PrivacyError(
    "CONFIRMATION_NEEDED",
    { dimension: "second", account: paid.account.id, available: formatEpsilon(secondAbove) },
    `what one program outside takes above ε = ${formatEpsilon(secondAbove)}, its earlier charges counted, needs a second person: an admin of the dataset approves the same charge under the same key; nothing was charged`,
  );
}

/** Why a charge that fits would be refused without the right to it, or without a second person for what it takes alone. */
export async function refusedQuote(
  context: Context,
  asked: Parameters<typeof isApproved>[2],
  quote: Quote,
  earlier: Earlier,
): Promise<PrivacyError | null> {
  if (!quote.admitted) return null;
  const { activeRule, price: epsilon, steps } = quote;
  const right = await declareRight(context, asked.account);
  const tx = { db: context.store.read };
  const isAgent = (await principalRow(tx, asked.principal)).kind === "agent";
  const isSeconded = await isApproved(context, tx, asked);
  const account = await accountRow(tx, asked.account);
  const paid = { account, activeRule, price: { epsilon }, steps, earlier };
  return undeclaredRefusal(right, { ...paid, isAgent, isSeconded });
}

/** No charge takes less. */
const MIN_EPSILON = 1n as EpsilonAmount;

const NONE: Earlier = { epsilon: 0n, mu2: 0n };

/** What the charge and those before it take together; all there is of what is not known. */
function above(limit: EpsilonAmount, { account, activeRule, price, steps }: Paid, earlier = NONE) {
  const epsilon = price.epsilon === null || earlier.epsilon === null ? null : price.epsilon + earlier.epsilon;
  return (
    steps
      .map(({ before, after }) => {
        const mu2 = before.mu2 === null ? null : before.mu2 + (earlier.mu2 ?? account.cap_mu2);
        return overLimit([{ id: account.id, query_epsilon: limit, state_remaining_mu2: mu2 as Mu2Amount | null }], {
          activeRule,
          price: { ...price, epsilon: epsilon as EpsilonAmount | null },
          states: [after, after],
        });
      })
      .find(({ length }) => length > 0) ?? []
  );
}
