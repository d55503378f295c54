import type { Mu2Quote } from "@dosimeter/core";
import { pathOf } from "../accounts/balance.ts";
import type { Context } from "../context.ts";
import { admissionTermsOf, nodeOf } from "../ledger/node.ts";
import { needsQuotes } from "../ledger/plan-quote.ts";
import { type ChargeRequest, type CheckedRequest, checkRequest, type Priced } from "../release/charge.ts";
import { type ChargeOutcome, chargeWriter } from "./writer.ts";

/**
 * Charges once, durably, before any private byte may be read. Where the ledger is tight, a plan is first priced as a whole,
 * outside the transaction. [M150] BUDGET_EXHAUSTED and QUOTA_EXHAUSTED carry `{ refusals: Refusal[], largestEpsilon }`; others:
 * ACCOUNT_CLOSED, FORBIDDEN, ADJACENCY_MISMATCH, IDEMPOTENCY_CONFLICT.
 */
export async function charge(context: Context, request: ChargeRequest): Promise<ChargeOutcome> {
  const checked = checkRequest(context, request);
  return context.kept(chargeWriter)(checked, async (isLast) =>
    isCompound(checked) ? price(context, checked, isLast) : undefined,
  );
}

/** Whether a plan price exists: not for a single plain event or none. */
export const isCompound = ({ events: [first, second] }: Pick<CheckedRequest, "events">): boolean =>
  first !== undefined && (second !== undefined || !SIMPLE.has(first.kind));

const SIMPLE: ReadonlySet<string> = new Set(["pure", "gaussian", "gdp", "exponential", "laplace", "discreteLaplace"]);

/** undefined where no plan price could matter; an unknown account is refused by the charge itself. */
async function price(
  { store, quotes }: Context,
  { account, events, window }: CheckedRequest,
  isLast: boolean,
): Promise<Priced | undefined> {
  if (window !== undefined) return undefined; // a plan price is certified for one r, and each block has its own
  const path = await store.snapshot(async (db) => {
    const row = await db.selectFrom("account").select("id").where("id", "=", account).executeTakeFirst();
    return row === undefined ? undefined : pathOf({ db }, account);
  });
  if (path === undefined) return undefined;
  const admissionTerms = admissionTermsOf(path.ledger);
  const nodes = path.nodes.map(nodeOf);
  if (!needsQuotes(admissionTerms, nodes, events)) return undefined;
  const found: readonly Mu2Quote[] = await quotes(nodes, events, admissionTerms.adjacency);
  return found.length === 0 ? undefined : { remaining: nodes.map(({ state }) => state.mu2), quotes: found, isLast };
}
