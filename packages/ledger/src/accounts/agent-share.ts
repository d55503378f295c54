import { type EpsilonAmount, formatEpsilon, PrivacyError, quotaDelta } from "@dosimeter/core";
import { least } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { isMember } from "../people/payer.ts";
import { presentRow, principalRow } from "../people/principal.ts";
import { rowsWith, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, By, PrincipalId } from "../values/id.ts";
import { parseTerms, type Quota } from "../values/terms.ts";
import { type Account, accountRow, accountsOf, accountsTo, checkActive, toAccount } from "./account.ts";
import { given } from "./given.ts";
import { unavailable } from "./quota.ts";
import { transferIn } from "./transfer.ts";

/** An account of an AI agent that stands next to one of the person for whom it acts, below the same account or ledger. */
export interface Share {
  readonly account: Account;
  readonly own: Account;
  /** What the person gave it from their own, and has not taken back. */
  readonly given: Quota;
}

export async function sharesOf(
  context: Context,
  { agent, person }: { readonly agent: PrincipalId; readonly person: PrincipalId },
): Promise<readonly Share[]> {
  const isOpen = ({ kind, status }: Account): boolean => kind === "share" && status !== "closed";
  const mine = (await accountsOf(context, person)).filter(isOpen);
  // Also below a team that it has left: a removed agent is in none.
  const rows = await rowsWith(context.store.read, "account", { holder_kind: "principal", holder_id: agent }, "id");
  const shares: Share[] = [];
  for (const account of rows.map(toAccount)) {
    const own = mine.find(({ ledger, parent }) => ledger === account.ledger && parent === account.parent);
    if (!isOpen(account) || own === undefined) continue;
    shares.push({
      account,
      own,
      given: await given({ db: context.store.read }, { from: own.id, to: account.id }),
    });
  }
  return shares;
}

interface Sharing extends By {
  readonly agent: PrincipalId;
  readonly from: AccountId;
  readonly to: AccountId;
  readonly epsilon: EpsilonAmount;
}

/**
 * Moves free quota of a person to the account of an agent that acts for them, or takes back what they gave: between accounts next to
 * each other, and by that person alone. The agent's account must end no later and take no larger charges than theirs, so that
 * no limit is passed by. NOT_FOUND, FORBIDDEN, CONFLICT, ACCOUNT_CLOSED, QUOTA_UNAVAILABLE.
 */
export function moveShare(context: Context, { by, agent, from, to, epsilon }: Sharing): Promise<void> {
  return change(context, async (tx, chain) => {
    await refuseOthers(tx, agent, by);
    const [source, target] = [await accountRow(tx, from), await accountRow(tx, to)];
    const isGiven = isHeldBy(source, by);
    const [own, agents] = isGiven ? [source, target] : [target, source];
    if (!isHeldBy(own, by) || !isHeldBy(agents, agent)) throw new PrivacyError("NOT_FOUND");
    await refuseElsewhere(tx, { own, agents, by });
    checkActive(own);
    const isRemoved = (await principalRow(tx, agent)).disabled_at !== null;
    // What a removed agent has left is frozen, and its person gets back what they gave.
    if (isGiven || !isRemoved) checkActive(agents);
    const terms = parseTerms((await ledgerRow(tx, own.ledger_id)).terms);
    let delta = quotaDelta(terms, { epsilon });
    if (isGiven) {
      await presentRow(tx, agent);
      refuseLooser(own, agents);
    } else {
      const most = await given(tx, { from: own.id, to: agents.id });
      if (epsilon > most.epsilon) {
        const [got, available] = [formatEpsilon(epsilon), formatEpsilon(most.epsilon)];
        throw unavailable("epsilon", { got, available, which: "you gave" });
      }
      delta = least(delta, most.delta);
    }
    await transferIn(context, { tx, chain }, { from, to, epsilon, delta, by, isShare: true });
  });
}

type AccountRow = Tables["account"];

const isHeldBy = ({ holder_kind, holder_id }: AccountRow, principal: PrincipalId): boolean =>
  holder_kind === "principal" && holder_id === principal;

async function refuseOthers(tx: Pick<Tx, "db">, agent: PrincipalId, by: PrincipalId): Promise<void> {
  const behind = await rowWith(tx.db, "service", { principal_id: agent });
  if ((await principalRow(tx, agent)).kind === "agent" && behind?.on_behalf_of === by) return;
  throw new PrivacyError("FORBIDDEN", {}, "you can give budget only to an agent that acts for you");
}

/** Quota of one team never becomes that of another, and who left a team moves nothing of it. */
async function refuseElsewhere(
  tx: Pick<Tx, "db">,
  { own, agents, by }: { readonly own: AccountRow; readonly agents: AccountRow; readonly by: PrincipalId },
): Promise<void> {
  const isBeside =
    own.ledger_id === agents.ledger_id &&
    own.parent_id === agents.parent_id &&
    own.kind === "share" &&
    agents.kind === "share";
  if (!isBeside)
    throw new PrivacyError("CONFLICT", { name: "account", want: "next to yours: a share of the same budget" });
  for (const { holder_kind, holder_id } of await accountsTo(tx, own.id))
    if (holder_kind === "team" && !(await isMember(tx, by, holder_id))) throw new PrivacyError("NOT_FOUND");
}

/** A limit of the person's account is no limit where their agent's has none. */
function refuseLooser(own: AccountRow, agents: AccountRow): void {
  const ends = own.expires_at;
  if (ends !== null && (agents.expires_at === null || agents.expires_at > ends))
    throw new PrivacyError("CONFLICT", {
      name: "expiresAt",
      got: agents.expires_at ?? "never",
      want: `at most ${ends}, when your own budget ends: ask who gives out the budget`,
    });
  const most = own.query_epsilon;
  if (most !== null && (agents.query_epsilon === null || agents.query_epsilon > most))
    throw new PrivacyError("CONFLICT", {
      name: "queryEpsilon",
      got: agents.query_epsilon === null ? "no limit" : formatEpsilon(agents.query_epsilon),
      want: `at most ${formatEpsilon(most)}, as one charge of your own budget: ask who gives out the budget`,
    });
}
