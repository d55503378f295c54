import { type EpsilonAmount, formatDelta, formatEpsilon, openingRule, PrivacyError, type Terms } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { type CopiedCharge, type CopiedCharges, type CopiedEntry, copyCharges } from "../blocks/copied-charges.ts";
import { putPieces, writeBlockStates } from "../blocks/runs.ts";
import { blocksOfPopulation, blocksText, isSameBlocks } from "../catalog/blocks.ts";
import { populationRow } from "../catalog/population.ts";
import type { Context } from "../context.ts";
import { lastEntrySeq, putEntries } from "../ledger/entry.ts";
import { type Ledger, ledgerRowOf, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { firstGuarantee, newLedgerRow } from "../ledger/opening.ts";
import { putQuotes } from "../ledger/plan-quote.ts";
import { putThreshold } from "../ledger/report-threshold.ts";
import type { Tx } from "../stores/store.ts";
import { ONE_LEDGER, vacant } from "../values/check.ts";
import { type By, newId, type PopulationId } from "../values/id.ts";
import type { LedgerBlocks, Quota } from "../values/terms.ts";
import {
  type CopiedPopulation,
  type CopiedVersion,
  copiedSentence,
  type Origin,
  refuseOtherPeople,
  refuseSecondCopy,
} from "./copied.ts";
import { freezeRow } from "./restore-gap.ts";

/** What another ledger promised and spent, from its verified export. */
export interface LedgerCopy {
  readonly source: { readonly ledger: string; readonly head: string; readonly at: string; readonly signedBy: string };
  /** The ledger itself and those of which it was a copy. */
  readonly origins: readonly Origin[];
  readonly population: CopiedPopulation;
  /** Whether a declaration of theirs was fitted to its data: what was released under it stays so. */
  readonly isFitted: boolean;
  readonly terms: Terms;
  readonly ceiling: Quota;
  /** Null: its lifetime is that of the whole population. */
  readonly blocks: LedgerBlocks | null;
  /** Oldest first; the last one's terms are `terms`. */
  readonly versions: readonly CopiedVersion[];
  /** The export's sentence, which must follow from its versions and population. */
  readonly sentence: string;
  readonly policy: Ledger["policy"];
  /** The rule in force at its end. */
  readonly activeRule: Ledger["activeRule"];
  readonly charges: readonly CopiedCharge[];
  /** ε of one query above which its reports compose by addition; null: never set. */
  readonly threshold: EpsilonAmount | null;
}

export interface Importing extends By {
  readonly population: PopulationId;
  readonly copy: LedgerCopy;
}

/** The line of a copied charge, which says what blocks it is about: no request of it is here that would. */
const copiedLine = ({ entry: { number, hash, price_epsilon, price_delta }, window }: CopiedEntry) => {
  const epsilon = price_epsilon === null ? null : formatEpsilon(price_epsilon as Quota["epsilon"]);
  const delta = formatDelta(price_delta as Quota["delta"]);
  const blocks = window.length === 0 ? {} : { window: window.map(({ from, to }) => [from, to]) };
  const detail = { entry: Number(number), entryHash: hash, epsilon, delta, ...blocks };
  return { action: "ledger.carry", detail } as const;
};

/**
 * Makes the ledger of a population with all that a copy has spent, each charge a line of its own, replayed through the
 * filter, and with its threshold. Its accounts are not copied: their holders are unknown here. CONFLICT when the population has a ledger or protects
 * others than the copy, has other blocks, the copy's sentence is not what its terms give, its ledger is here already, or its charges do
 * not fit. [M161] It is frozen until two people reopen it: an export says what had been spent at least, not that its original has stopped.
 */
export function importLedger(context: Context, { population, copy, by }: Importing): Promise<Ledger> {
  const { now } = context.store;
  const { terms, ceiling, blocks, source, origins, versions, activeRule, policy } = copy;
  return change(context, async (tx, chain) => {
    const { about, unit } = await refuseOtherPeople(tx, await populationRow(tx, population), copy.population);
    vacant(await ledgerRowOf(tx, population), "ledger of the population", population, ONE_LEDGER);
    await refuseOtherBlocks(tx, population, blocks);
    if (about.adjacency !== terms.adjacency)
      throw new PrivacyError("CONFLICT", { name: "adjacency", got: terms.adjacency, want: about.adjacency });
    await refuseSecondCopy(tx, origins);
    if (copy.sentence !== copiedSentence(versions, copy.population))
      throw new PrivacyError("CONFLICT", { name: "sentence" }, "the copy's sentence is not what its terms promise");
    const opening = { id: newId("ledger"), population, terms, ceiling, blocks, by, at: now() };
    const last = copy.charges.at(-1)?.activeRule ?? openingRule(terms.rule);
    const switched = activeRule === last ? [] : [{ events: [], activeRule, quotes: [], window: [] }];
    const first = (await lastEntrySeq(tx)) + 1n;
    const copied = copyCharges(context, { opening, charges: [...copy.charges, ...switched], first });
    const { start, charged, state } = copied;
    const head = charged.at(-1)?.entry.hash ?? start.hash;
    const row = newLedgerRow(opening, { activeRule, policy, mode: "funded", state, entries: charged.length + 1, head });
    const guarantee = firstGuarantee(opening, {
      sentence: copiedSentence(versions, about),
      reason: `imported from ${source.ledger} as of ${source.at}`,
    });
    await tx.db.insertInto("ledger").values(row).execute();
    await tx.db.insertInto("guarantee_version").values(guarantee).execute();
    const detail = { entry: 1, entryHash: start.hash, terms: row.terms, policy, mode: row.mode, unit };
    const from = { source, origins, versions, ...(copy.isFitted ? { isFitted: true } : {}) };
    chain.append({
      actor: by,
      action: "ledger.import",
      ledger: row.id,
      detail: { ...detail, ...from },
      ...images.ledger(row),
    });
    chain.append({ actor: by, action: "guarantee.create", ledger: row.id, ...images.guarantee_version(guarantee) });
    await putCopied({ tx, chain }, copied, by);
    if (copy.threshold !== null)
      await putThreshold({ tx, chain }, { ledger: row.id, epsilon: copy.threshold, at: opening.at, by });
    const reason = `imported from ${source.ledger}: reopen it when the original has stopped`;
    const frozen = await freezeRow({ tx, chain }, row, { by, reason, imported: true });
    return toLedger(frozen, await sentenceOf(tx, frozen));
  });
}

/** Writes what was copied, with what each block has counted and the plan prices. */
async function putCopied(
  { tx, chain }: Writing,
  { start, charged, runs }: CopiedCharges,
  actor: By["by"],
): Promise<void> {
  const ledger = start.ledger_id;
  await putEntries(tx, [start, ...charged.map(({ entry }) => entry)]);
  await writeBlockStates(tx, ledger, { before: [], after: runs });
  for (const copied of charged) {
    const { entry, pieces } = copied;
    await putPieces(tx, entry.seq, pieces);
    chain.append({ ...copiedLine(copied), actor, subject: ledger, ledger });
  }
  for (const { entry, quotes } of charged)
    if (quotes.length > 0) await putQuotes({ tx, chain }, { entry: entry.seq, quotes, actor, ledger });
}

/** CONFLICT unless the population has the copy's blocks, or none yet where those came later in the copy too. [M165] [M168] */
async function refuseOtherBlocks(tx: Tx, population: PopulationId, blocks: LedgerBlocks | null): Promise<void> {
  const declared = await blocksOfPopulation(tx, population);
  if (declared === null && (blocks === null || blocks.earlier !== undefined)) return;
  if (declared === blocks || (declared !== null && blocks !== null && isSameBlocks(declared, blocks))) return;
  const words = (of: LedgerBlocks | null) => (of === null ? "absent" : blocksText(of));
  throw new PrivacyError("CONFLICT", { name: "declaration.blocks", got: words(declared), want: words(blocks) });
}
