import {
  type Amendment as AmendedTerms,
  amendTerms,
  type Caps,
  type DeltaAmount,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  hasRoom,
  ledgerCaps,
  openTerms,
  PrivacyError,
  quotaCaps,
  ruleRow,
  type Terms,
} from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import { refolded } from "../blocks/refolded.ts";
import { blockStates, countedByLedger, namedOn, writeBlockStates } from "../blocks/runs.ts";
import { populationRow, toPopulation } from "../catalog/population.ts";
import type { Context } from "../context.ts";
import { appendEntry } from "../ledger/entry.ts";
import { firstTerms } from "../ledger/first-terms.ts";
import { capsColumns, capsOf, quotaOf, stateColumns, stateOf } from "../ledger/node.ts";
import { putQuotes } from "../ledger/plan-quote.ts";
import { historyOf, ledgerHistory, type Requoted, requoted } from "../ledger/replay.ts";
import { amendedSentence } from "../ledger/sentence.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { PrincipalId } from "../values/id.ts";
import { blocksOfTerms, type LedgerBlocks, parseCeiling, parseTerms, type Quota, termsText } from "../values/terms.ts";

export interface RaiseTo {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  readonly deltaSelection: DeltaAmount;
}

/** What a raise would change now. */
export interface Raised extends AmendedTerms {
  readonly ceiling: Quota;
  /** The whole sentence of the new version. */
  readonly text: string;
  /** Whether any answer had been paid for: then only the ceiling may outlast the version. [M22] */
  readonly answersSeen: boolean;
}

/** The terms after the raise; INVALID_PARAMETER for anything that would fall. [M22] */
export async function raised(tx: Pick<Tx, "db">, ledger: Tables["ledger"], to: RaiseTo): Promise<Raised> {
  const current = parseTerms(ledger.terms);
  const ceiling = parseCeiling(ledger.terms);
  const charge = await tx.db
    .selectFrom("entry")
    .select("seq")
    .where("ledger_id", "=", ledger.id)
    .where("kind", "in", ["charge", "writeOff"])
    .executeTakeFirst();
  const answersSeen = charge !== undefined;
  const first = await firstTerms(tx, ledger.id);
  const blocks = blocksOfTerms(ledger.terms);
  // What was declared for whole units says nothing of blocks that came later.
  const declared = blocks?.earlier === undefined ? ceiling : null;
  const amended = raisedBy({ current, first, ceiling: declared }, to, answersSeen);
  const about = toPopulation(await populationRow(tx, ledger.population_id));
  return { ...amended, ceiling, text: amendedSentence(amended, { about, answersSeen, blocks }), answersSeen };
}

/** The terms and sentences of a raise, from the terms before it and those declared at opening. INVALID_PARAMETER. [M22] */
export function raisedBy(
  { current, first, ceiling }: { readonly current: Terms; readonly first: Terms; readonly ceiling: Quota | null },
  to: RaiseTo,
  answersSeen: boolean,
): AmendedTerms {
  const raise = {
    epsilon: formatEpsilon(to.epsilon),
    delta: formatDelta(to.delta),
    ...(ruleRow(current.rule).caps.takesDeltaSelection ? { deltaSelection: formatDelta(to.deltaSelection) } : {}),
  };
  return amendTerms(current, raise, {
    ceiling: ceiling === null ? null : ceilingTerms(first, ceiling),
    answersSeen,
  });
}

export const raiseTo = ({ epsilon, delta, deltaSelection }: Terms): RaiseTo => ({ epsilon, delta, deltaSelection });

/** δ_m grows with δ unless another value is given. */
export const selectionFor = ({ delta, deltaSelection }: Terms, raisedTo: DeltaAmount): DeltaAmount =>
  (delta === 0n ? raisedTo / 10n : (deltaSelection * raisedTo) / delta) as DeltaAmount;

function ceilingTerms(first: Terms, { epsilon, delta }: Quota): Terms {
  if (epsilon === first.epsilon && delta === first.delta) return first;
  return openTerms({
    epsilon: formatEpsilon(epsilon),
    delta: formatDelta(delta),
    rule: first.rule,
    adjacency: first.adjacency,
    ...(ruleRow(first.rule).caps.takesDeltaSelection
      ? { deltaSelection: formatDelta(selectionFor(first, delta)) }
      : {}),
  });
}

export interface Applying {
  readonly ledger: Tables["ledger"];
  readonly to: RaiseTo;
  readonly reason: string;
  readonly by: PrincipalId;
  readonly second: PrincipalId | null;
}

/** Makes the raised version. With blocks, each block is replayed by itself. [M152] [M166] */
export async function applyRaise(
  context: Context,
  writing: Writing,
  { to, ...applying }: Applying,
): Promise<Tables["ledger"]> {
  const { terms, text, ceiling } = await raised(writing.tx, applying.ledger, to);
  const blocks = blocksOfTerms(applying.ledger.terms);
  const want = "terms under which its charges fit: allocate more to it first, or raise δ in proportion to ε";
  const at = context.store.now();
  return applyVersion(context, writing, {
    ...applying,
    terms,
    text,
    ceiling,
    blocks,
    action: "ledger.amend",
    want,
    at,
  });
}

interface NewVersion extends Omit<Applying, "to"> {
  readonly terms: Terms;
  readonly ceiling: Quota;
  readonly blocks: LedgerBlocks | null;
  /** The sentence. */
  readonly text: string;
  readonly action: "ledger.amend" | "ledger.migrate";
  /** What would fit, where the charges of a node do not. */
  readonly want: string;
  /** When it was decided. */
  readonly at: string;
}

/**
 * Makes a new version: every charge and every account is replayed under the new caps, one entry, one version, one audit
 * line. CONFLICT when the charges of a node, which fit, would not fit its share of the new terms. What was spent stays.
 */
export async function applyVersion(
  context: Context,
  { tx, chain }: Writing,
  { ledger, terms, ceiling, blocks, text, action, want, at, reason, by, second }: NewVersion,
): Promise<Tables["ledger"]> {
  const activeRule = ledger.active_rule;
  const stored = termsText(terms, ceiling, blocks);
  const under = await replaying(context, { tx, chain }, { ledger, terms, stored, want, by });
  const columns = await under(ledgerCaps(terms), ledger, await ledgerHistory(tx, ledger.id));
  const version = ledger.version + 1n;
  const entry = await appendEntry(context, tx, ledger, {
    kind: "amend",
    principal_id: by,
    active_rule: activeRule,
    // With blocks what is left differs from block to block, and an entry has none.
    ...(blocks === null
      ? { remaining_mu2_after: columns.state_remaining_mu2 }
      : { remaining_mu2_before: null, remaining_mu2_after: null }),
    request_hash: context.store.sha256(stored),
    at,
  });
  const after: Tables["ledger"] = {
    ...ledger,
    ...columns,
    terms: stored,
    version,
    quota_epsilon: terms.epsilon,
    quota_delta: terms.delta,
    entries: entry.number,
    head_hash: entry.hash,
  };
  const guarantee: Tables["guarantee_version"] = {
    ledger_id: ledger.id,
    version,
    terms: stored,
    sentence: text,
    reason,
    decided_by: by,
    seconded_by: second,
    at: entry.at,
  };
  const { id, ...changed } = after;
  await tx.db.updateTable("ledger").set(changed).where("id", "=", id).execute();
  await tx.db.insertInto("guarantee_version").values(guarantee).execute();
  for (const account of await tx.db.selectFrom("account").selectAll().where("ledger_id", "=", id).execute()) {
    const caps = quotaCaps(terms, quotaOf(account), account.kind);
    const moved = await under(caps, account, await historyOf(tx, account.id));
    await tx.db.updateTable("account").set(moved).where("id", "=", account.id).execute();
  }
  const detail = { entry: Number(entry.number), entryHash: entry.hash, terms: stored, version: Number(version) };
  chain.append({ actor: by, action, ledger: id, detail, ...images.ledger(after) });
  chain.append({ actor: by, action: "guarantee.create", ledger: id, ...images.guarantee_version(guarantee) });
  return after;
}

/** Replays the history of a node of the ledger under other caps, and writes what is kept of it by block and by plan price. */
async function replaying(
  context: Context,
  { tx, chain }: Writing,
  { ledger, terms, stored, want, by }: Pick<NewVersion, "ledger" | "terms" | "want" | "by"> & { stored: string },
) {
  const { adjacency } = terms;
  const named = await namedOn(tx, { id: ledger.id, terms: stored });
  return async (caps: Caps, node: Tables["ledger"] | Tables["account"], past: Requoted["history"]) => {
    const again = await requoted(context.quotes, { from: capsOf(node), to: caps }, { history: past, adjacency });
    for (const { entry, quotes } of again.fresh)
      await putQuotes({ tx, chain }, { entry, quotes, actor: by, ledger: ledger.id });
    const history = named !== null && node === ledger ? countedByLedger(named, again.history) : again.history;
    const { state, runs } = refolded(caps, history, { adjacency, named });
    if (runs !== null) await writeBlockStates(tx, node.id, { before: await blockStates(tx, node.id), after: runs });
    if (
      history.length > 0 &&
      !hasRoom(caps, state, ledger.active_rule) &&
      hasRoom(capsOf(node), stateOf(node), ledger.active_rule)
    )
      throw new PrivacyError("CONFLICT", { name: "amendment", got: node.id, want });
    return { ...capsColumns(caps), ...stateColumns(state) };
  };
}
