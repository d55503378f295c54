import {
  type DpEvent,
  type EpsilonAmount,
  type FilterState,
  formatDelta,
  formatEpsilon,
  hasRoom,
  ledgerCaps,
  type Mu2Quote,
  nextState,
  openingRule,
  openState,
  PrivacyError,
  priceEvents,
  type Terms,
} from "@dosimeter/core";
import { isPaidBy } from "@dosimeter/core/accounting";
import { GENESIS } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { blocksOfPopulation } from "../catalog/blocks.ts";
import { populationRow } from "../catalog/population.ts";
import type { Context } from "../context.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { vacant } from "../values/check.ts";
import { newId, type PopulationId } from "../values/id.ts";
import { type Quota, refuseBlocks } from "../values/terms.ts";
import {
  type CopiedPopulation,
  type CopiedVersion,
  copiedSentence,
  type Origin,
  refuseOtherPeople,
  refuseSecondCopy,
} from "./copied.ts";
import { lastEntrySeq, type NewEntry, plainLine, putEntries, sealed } from "./entry.ts";
import { type Ledger, ledgerRowOf, toLedger } from "./ledger.ts";
import { firstGuarantee, newLedgerRow, openingEntry } from "./opening.ts";
import { putQuotes } from "./plan-quote.ts";
import { freezeRow } from "./restore-gap.ts";
import { putThreshold } from "./settings.ts";

/** What another ledger promised and spent, from its verified export. */
export interface LedgerCopy {
  readonly source: { readonly ledger: string; readonly head: string; readonly at: string; readonly signedBy: string };
  /** The ledger itself and those of which it was a copy. */
  readonly origins: readonly Origin[];
  readonly population: CopiedPopulation;
  readonly terms: Terms;
  readonly ceiling: Quota;
  /** Oldest first; the last one's terms are `terms`. */
  readonly versions: readonly CopiedVersion[];
  /** The export's sentence, which must follow from its versions and population. */
  readonly sentence: string;
  readonly policy: Ledger["policy"];
  /** The rule in force at its end. */
  readonly lane: Ledger["lane"];
  readonly charges: readonly CopiedCharge[];
  /** ε of one query above which its reports compose by addition; null: never set. */
  readonly threshold: EpsilonAmount | null;
}

export interface CopiedCharge {
  readonly events: readonly DpEvent[];
  readonly lane: Ledger["lane"];
  readonly quotes: readonly Mu2Quote[];
}

export interface Importing extends By {
  readonly population: PopulationId;
  readonly copy: LedgerCopy;
  /** Frozen: charges are refused until it is reopened. */
  readonly status: Ledger["status"];
}

/** The plan prices of a charge that hold for this r. */
const certified = (
  { events, quotes }: Pick<CopiedCharge, "events" | "quotes">,
  mu2: FilterState["mu2"],
  adjacency: Terms["adjacency"],
): readonly Mu2Quote[] =>
  quotes.filter((quote) => quote.before === mu2 && isPaidBy(events, quote, { adjacency, margin: "verify" }));

const copiedLine = ({ number, hash, price_epsilon, price_delta }: Tables["entry"]) => {
  const epsilon = price_epsilon === null ? null : formatEpsilon(price_epsilon as Quota["epsilon"]);
  const delta = formatDelta(price_delta as Quota["delta"]);
  return { action: "ledger.carry", detail: { entry: Number(number), entryHash: hash, epsilon, delta } } as const;
};

/**
 * Opens the ledger of a population with all that a copy has spent, each charge a line of its own, replayed through the
 * filter, and with its threshold. Its accounts are not copied: their holders are unknown here. CONFLICT when the population has a ledger or protects
 * others than the copy, the copy's sentence is another than its terms give, its ledger is here already, or its charges do
 * not fit.
 */
export function importLedger(context: Context, { population, copy, status, by }: Importing): Promise<Ledger> {
  const { now } = context.store;
  const { terms, ceiling, source, origins, versions } = copy;
  for (const version of versions)
    refuseBlocks(version.terms, "a copy has one sum for all blocks; keep this ledger on its server");
  return change(context, async (tx, chain) => {
    const { about, unit } = await refuseOtherPeople(tx, await populationRow(tx, population), copy.population);
    vacant(await ledgerRowOf(tx, population), "ledger of the population", population);
    if ((await blocksOfPopulation(tx, population)) !== null)
      throw new PrivacyError("CONFLICT", {
        name: "declaration.blocks",
        want: "absent: the copy is of a whole population",
      });
    if (about.adjacency !== terms.adjacency)
      throw new PrivacyError("CONFLICT", { name: "adjacency", got: terms.adjacency, want: about.adjacency });
    await refuseSecondCopy(tx, origins);
    if (copy.sentence !== copiedSentence(versions, copy.population))
      throw new PrivacyError("CONFLICT", { name: "sentence" }, "the copy's sentence is not what its terms promise");
    const caps = ledgerCaps(terms);
    const opening = { id: newId("ledger"), population, terms, ceiling, blocks: null, by, at: now() };
    const first = (await lastEntrySeq(tx)) + 1n;
    const entries = [openingEntry(context, opening, first)];
    let state = openState(caps);
    let head = entries[0]?.hash ?? GENESIS;
    const paid: { readonly entry: bigint; readonly quotes: readonly Mu2Quote[] }[] = [];
    const last = copy.charges.at(-1)?.lane ?? openingRule(terms.rule);
    const switched = copy.lane === last ? [] : [{ events: [], lane: copy.lane, quotes: [] }];
    for (const { events, lane: activeRule, quotes } of [...copy.charges, ...switched]) {
      const price = priceEvents(events, terms.adjacency);
      const usable = certified({ events, quotes }, state.mu2, terms.adjacency);
      const after = nextState({ caps, state }, price, { activeRule, quotes: usable });
      if (!hasRoom(caps, after, activeRule))
        throw new PrivacyError(
          "CONFLICT",
          { name: "charge", got: entries.length },
          "the charges do not fit the promise",
        );
      const next: NewEntry = {
        ...plainLine,
        ledger_id: opening.id,
        principal_id: by,
        at: opening.at,
        seq: first + BigInt(entries.length),
        number: BigInt(entries.length) + 1n,
        kind: "writeOff",
        lane: activeRule,
        events: JSON.stringify(events),
        price_epsilon: price.epsilon,
        price_delta: price.delta,
        residue_before: state.mu2,
        residue_after: after.mu2,
        request_hash: null,
        prev_hash: head,
      };
      if (usable.length > 0) paid.push({ entry: next.seq, quotes: usable });
      const entry = sealed(context, next);
      entries.push(entry);
      head = entry.hash;
      state = after;
    }
    const { lane, policy } = copy;
    const row = newLedgerRow(opening, { lane, policy, mode: "funded", state, entries: entries.length, head });
    const guarantee = firstGuarantee(opening, {
      sentence: copiedSentence(versions, about),
      reason: `imported from ${source.ledger} as of ${source.at}`,
    });
    await tx.db.insertInto("ledger").values(row).execute();
    await tx.db.insertInto("guarantee_version").values(guarantee).execute();
    await putEntries(tx, entries);
    const [start, ...charged] = entries;
    const detail = { entry: 1, entryHash: start?.hash, terms: row.terms, policy, mode: row.mode, unit };
    const from = { source, origins, versions };
    chain.append({
      actor: by,
      action: "ledger.import",
      ledger: row.id,
      detail: { ...detail, ...from },
      ...images.ledger(row),
    });
    chain.append({ actor: by, action: "guarantee.create", ledger: row.id, ...images.guarantee_version(guarantee) });
    for (const entry of charged) chain.append({ ...copiedLine(entry), actor: by, subject: row.id, ledger: row.id });
    for (const { entry, quotes } of paid) await putQuotes({ tx, chain }, { entry, quotes, actor: by, ledger: row.id });
    if (copy.threshold !== null)
      await putThreshold({ tx, chain }, { ledger: row.id, epsilon: copy.threshold, at: opening.at, by });
    const reason = `imported from ${source.ledger}: reopen it when the original has stopped`;
    const opened = status === "frozen" ? await freezeRow({ tx, chain }, row, { by, reason }) : row;
    return toLedger(opened, guarantee.sentence);
  });
}
